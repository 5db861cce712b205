/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each target of the fuzzer has: fuzz_try() and fuzz_seeds(). Called as "TARGET seeds
 * DIR" it writes its seeds and leaves, otherwise it is libFuzzer.
 */
#ifndef _SYMPHONY_FUZZ_H
#define _SYMPHONY_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* Try one input, which fuzz_take() and the random numbers of tap.h draw from. */
static void fuzz_try(void);

/* Call seed_write() for each seed. */
static void fuzz_seeds(const char *dir);

static inline void seed_write(const char *dir, const void *bytes, size_t len)
{
	static unsigned int nr;
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/seed-%04u", dir, nr++);
	f = fopen(path, "wb");
	if (!f || fwrite(bytes, 1, len, f) != len || fclose(f)) {
		perror(path);
		exit(1);
	}
}

/* For targets whose bytes are choices: anything goes, the same each time. */
static inline void seed_random(const char *dir)
{
	static const size_t sizes[] = { 16, 64, 256, 1024, 4096, 4096, 4096, 4096 };
	u64 state = 1;
	u8 bytes[4096];
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (j = 0; j < sizes[i]; j++) {
			state = state * 6364136223846793005ULL + 1442695040888963407ULL;
			bytes[j] = state >> 56;
		}
		seed_write(dir, bytes, sizes[i]);
	}
}

/* What libFuzzer calls, by names of its own. */
int fuzz_input_try(const u8 *bytes, size_t len) __asm__("LLVMFuzzerTestOneInput");
int fuzz_begin(int *argc, char ***argv) __asm__("LLVMFuzzerInitialize");

int fuzz_input_try(const u8 *bytes, size_t len)
{
	fuzz_input = (struct fuzz_input) { bytes, len };
	fuzz_try();
	return 0;
}

int fuzz_begin(int *argc, char ***argv)
{
	if (*argc == 3 && !strcmp((*argv)[1], "seeds")) {
		fuzz_seeds((*argv)[2]);
		exit(0);
	}
	return 0;
}

#endif
