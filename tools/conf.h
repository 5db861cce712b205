/* SPDX-License-Identifier: GPL-2.0 */
/* Files with a key and its value in each line. */
#ifndef _SYMPHONY_CONF_H
#define _SYMPHONY_CONF_H

#include "cmd.h"

/* Room for a sentence on what is wrong. */
#define CONF_ERROR_SIZE		512

/**
 * typedef conf_set_fn - take a key's value
 * @arg: what conf_read() was given
 * @key: key
 * @value: its value
 * @error: %CONF_ERROR_SIZE bytes for a sentence
 *
 * Return: 0, or -1 after a sentence.
 */
typedef int (*conf_set_fn)(void *arg, const char *key, const char *value, char *error);

/**
 * conf_read() - read a file
 * @path: of the file; "#" begins a comment
 * @set: called for each line that is not empty
 * @arg: for it
 * @error: %CONF_ERROR_SIZE bytes; begins with file and line
 *
 * Return: 0, or -1 after a sentence.
 */
int conf_read(const char *path, conf_set_fn set, void *arg, char *error);

/**
 * conf_fail() - write a sentence on what is wrong
 * @error: %CONF_ERROR_SIZE bytes
 * @format: as for printf()
 *
 * Return: -1.
 */
int conf_fail(char *error, const char *format, ...) __printf(2, 3);

/**
 * conf_number() - read a number
 * @key: what it is, for the sentence
 * @value: text
 * @min: least that is allowed
 * @max: most
 * @number: result
 * @error: as of conf_fail()
 *
 * Return: 0, or -1 after a sentence.
 */
int conf_number(const char *key, const char *value, unsigned int min, unsigned int max,
		unsigned int *number, char *error);

/**
 * typedef conf_word_fn - take one of several words
 * @arg: what conf_words() was given
 * @word: word
 * @error: %CONF_ERROR_SIZE bytes for a sentence
 *
 * Return: 0, or -1 after a sentence.
 */
typedef int (*conf_word_fn)(void *arg, const char *word, char *error);

/**
 * conf_words() - read words with commas between them
 * @key: what they are, for the sentence
 * @value: text
 * @take: called for each until it fails
 * @arg: for it
 * @error: as of conf_fail()
 *
 * Return: 0, or -1 after a sentence.
 */
int conf_words(const char *key, const char *value, conf_word_fn take, void *arg, char *error);

#endif
