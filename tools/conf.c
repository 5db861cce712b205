// SPDX-License-Identifier: GPL-2.0
/* Files with a key and its value in each line. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"

int conf_fail(char *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, CONF_ERROR_SIZE, format, args);
	va_end(args);
	return -1;
}

int conf_number(const char *key, const char *value, unsigned int min, unsigned int max,
		unsigned int *number, char *error)
{
	unsigned long long read;
	char *end;

	read = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || read < min || read > max)
		return conf_fail(error, "%s: \"%s\" is not a number from %u to %u", key, value, min,
				 max);
	*number = read;
	return 0;
}

int conf_words(const char *key, const char *value, conf_word_fn take, void *arg, char *error)
{
	char *words = strdup(value), *rest = words, *word;
	int err = 0;

	if (!words)
		return conf_fail(error, "%s: no memory", key);
	while (!err && (word = strsep(&rest, ",")))
		err = take(arg, word, error);
	free(words);
	return err;
}

/* "key value # comment"; an empty line is good, too. */
static int take_line(char *line, conf_set_fn set, void *arg, char *error)
{
	char *rest = line, *key, *value;

	rest[strcspn(rest, "#\n")] = '\0';
	key = strtok_r(rest, " \t\r", &rest);
	if (!key)
		return 0;
	value = strtok_r(NULL, " \t\r", &rest);
	if (!value)
		return conf_fail(error, "%s: has no value", key);
	if (strtok_r(NULL, " \t\r", &rest))
		return conf_fail(error, "%s: more than one value", key);
	return set(arg, key, value, error);
}

int conf_read(const char *path, conf_set_fn set, void *arg, char *error)
{
	char sentence[CONF_ERROR_SIZE];
	FILE *file = fopen(path, "re");
	unsigned int number = 0;
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	if (!file)
		return conf_fail(error, "%.160s: %s", path, strerror(errno));
	while (!err && getline(&line, &room, file) >= 0) {
		number++;
		err = take_line(line, set, arg, sentence);
	}
	if (err)
		conf_fail(error, "%.160s:%u: %.320s", path, number, sentence);
	else if (ferror(file))
		err = conf_fail(error, "%.160s: %s", path, strerror(errno));
	free(line);
	fclose(file);
	return err;
}
