// SPDX-License-Identifier: GPL-2.0
/* symphony plot: a picture of what symphony record wrote, by gnuplot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* More curves than these cannot be told apart. */
#define CURVES_MAX	16
#define COLUMNS_MAX	64

enum column {
	TIME,
	TABLE,
	JOB,
	STEP,
	ALPHA,
	MARKED,
	WOULD_MARK,
	NR_COLUMNS,
};

static const char *const column_names[] = {
	[TIME]		= "time",
	[TABLE]		= "table",
	[JOB]		= "job",
	[STEP]		= "step_min",
	[ALPHA]		= "alpha",
	[MARKED]	= "marked",
	[WOULD_MARK]	= "would_mark",
};

struct sample {
	double time;
	char table[TEXT_MAX];
	unsigned long job;
	double step, alpha, marks;
};

struct samples {
	struct sample *sample;
	size_t nr;
};

static int split(char *line, char **field)
{
	int nr = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (nr < COLUMNS_MAX) {
		field[nr++] = line;
		line = strchr(line, ',');
		if (!line)
			break;
		*line++ = '\0';
	}
	return nr;
}

/* Where each column is; -1 if one is missing. */
static int read_head(char *line, int *where)
{
	char *field[COLUMNS_MAX];
	int nr = split(line, field);
	int i, f;

	for (i = 0; i < NR_COLUMNS; i++) {
		for (f = 0; f < nr && strcmp(field[f], column_names[i]); f++)
			;
		if (f == nr)
			return -1;
		where[i] = f;
	}
	return 0;
}

static int read_sample(char *line, const int *where, struct sample *sample)
{
	char *field[COLUMNS_MAX];
	int nr = split(line, field);
	int i;

	for (i = 0; i < NR_COLUMNS; i++) {
		if (where[i] >= nr)
			return -1;
	}
	sample->time = strtod(field[where[TIME]], NULL);
	snprintf(sample->table, sizeof(sample->table), "%s", field[where[TABLE]]);
	sample->job = strtoul(field[where[JOB]], NULL, 10);
	sample->step = strtod(field[where[STEP]], NULL);
	sample->alpha = strtod(field[where[ALPHA]], NULL);
	sample->marks = strtod(field[where[MARKED]], NULL) +
			strtod(field[where[WOULD_MARK]], NULL);
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	int order = strcmp(x->table, y->table);

	if (order)
		return order;
	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

static int read_samples(FILE *file, struct samples *samples)
{
	int where[NR_COLUMNS], err = 0;
	struct sample *grown;
	size_t room = 0;
	char *line = NULL;
	size_t size = 0;

	if (getline(&line, &size, file) < 0 || read_head(line, where))
		err = -EINVAL;
	while (!err && getline(&line, &size, file) > 0) {
		if (samples->nr == room) {
			room = room ? 2 * room : 256;
			grown = reallocarray(samples->sample, room, sizeof(*grown));
			if (!grown) {
				err = -ENOMEM;
				break;
			}
			samples->sample = grown;
		}
		/* the last line of a recording that goes on may be half a one */
		if (!read_sample(line, where, &samples->sample[samples->nr]))
			samples->nr++;
	}
	free(line);
	if (samples->nr)
		qsort(samples->sample, samples->nr, sizeof(*samples->sample), compare);
	return err;
}

static bool same_job(const struct sample *a, const struct sample *b)
{
	return a->job == b->job && !strcmp(a->table, b->table);
}

/* A block of gnuplot for each job: time, step, alpha, marks a second. */
static void write_data(FILE *gnuplot, const struct samples *samples)
{
	double start = samples->sample[0].time;
	size_t i;

	for (i = 1; i < samples->nr; i++) {
		if (samples->sample[i].time < start)
			start = samples->sample[i].time;
	}
	fputs("$data << END\n", gnuplot);
	for (i = 0; i < samples->nr; i++) {
		const struct sample *sample = &samples->sample[i], *before = sample - 1;
		bool first = !i || !same_job(before, sample);
		double rate = 0;

		if (first)
			fprintf(gnuplot, "%s\"%s job %lu\"\n", i ? "\n\n" : "", sample->table,
				sample->job);
		else if (sample->time > before->time && sample->marks >= before->marks)
			rate = (sample->marks - before->marks) / (sample->time - before->time);
		fprintf(gnuplot, "%.6f %.0f %.0f %.3f\n", sample->time - start, sample->step,
			sample->alpha, rate);
	}
	fputs("END\n", gnuplot);
}

static size_t count_jobs(const struct samples *samples)
{
	size_t nr = 0, i;

	for (i = 0; i < samples->nr; i++)
		nr += !i || !same_job(&samples->sample[i - 1], &samples->sample[i]);
	return nr;
}

static void write_script(FILE *gnuplot, const struct samples *samples, const char *output,
			 bool png)
{
	static const char *const panels[] = { "smallest step", "alpha", "marks/s" };
	size_t i;

	fprintf(gnuplot, "set terminal %s\nset output \"%s\"\n",
		png ? "pngcairo size 900,900" : "svg size 900,900 dynamic", output);
	write_data(gnuplot, samples);
	fputs("set multiplot layout 3,1\nset key outside right noenhanced\nset grid\n"
	      "set xlabel \"s\"\nset yrange [0:*]\n", gnuplot);
	for (i = 0; i < ROWS(panels); i++)
		fprintf(gnuplot, "set ylabel \"%s\"\n"
			"plot for [i=0:%zu] $data index i using 1:%zu with %s title columnheader(1)\n",
			panels[i], count_jobs(samples) - 1, i + 2, i == 2 ? "lines" : "steps");
	fputs("unset multiplot\n", gnuplot);
}

static int draw(const struct samples *samples, const char *output, bool png)
{
	FILE *gnuplot;

	if (system("command -v gnuplot > /dev/null")) {
		fprintf(stderr, "symphony: plot: there is no gnuplot; install gnuplot-nox\n");
		return EXIT_SYNTAX;
	}
	gnuplot = popen("gnuplot", "we");
	if (!gnuplot) {
		fprintf(stderr, "symphony: plot: %s\n", strerror(errno));
		return EXIT_SYNTAX;
	}
	write_script(gnuplot, samples, output, png);
	if (pclose(gnuplot)) {
		fprintf(stderr, "symphony: plot: gnuplot failed\n");
		return EXIT_SYNTAX;
	}
	return 0;
}

static int keep_job(struct samples *samples, unsigned long job)
{
	size_t i, kept = 0;

	for (i = 0; i < samples->nr; i++) {
		if (!job || samples->sample[i].job == job)
			samples->sample[kept++] = samples->sample[i];
	}
	samples->nr = kept;
	if (!kept)
		return cmd_syntax("plot: no sample of a job");
	if (count_jobs(samples) > CURVES_MAX)
		return cmd_syntax("plot: %zu jobs are too many for one picture, choose with --job",
				  count_jobs(samples));
	return 0;
}

static int plot_file(const char *input, const char *output, unsigned long job)
{
	const char *dot = strrchr(output, '.');
	struct samples samples = { 0 };
	int status;
	FILE *file;

	if (!dot || (strcmp(dot, ".svg") && strcmp(dot, ".png")) || strpbrk(output, "\"\\\n"))
		return cmd_syntax("plot: --output \"%s\": not a name that ends with .svg or .png",
				  output);
	file = fopen(input, "re");
	if (!file) {
		fprintf(stderr, "symphony: plot: %s: %s\n", input, strerror(errno));
		return EXIT_SYNTAX;
	}
	status = read_samples(file, &samples) ?
		 cmd_syntax("plot: %s was not written by symphony record", input) : 0;
	fclose(file);
	status = status ?: keep_job(&samples, job);
	status = status ?: draw(&samples, output, !strcmp(dot, ".png"));
	free(samples.sample);
	return status;
}

static int run(struct context *ctx, int argc, char **argv)
{
	const char *input = NULL, *output = "symphony.svg";
	unsigned long job = 0;
	char *end;

	(void)ctx;
	for (; argc; argc--, argv++) {
		if (argc > 1 && !strcmp(*argv, "--output")) {
			output = argv[1];
		} else if (argc > 1 && !strcmp(*argv, "--job")) {
			job = strtoul(argv[1], &end, 0);
			if (*end || !job)
				return cmd_syntax("plot: --job \"%s\": not a job", argv[1]);
		} else if (!input && strncmp(*argv, "--", 2)) {
			input = *argv;
			continue;
		} else {
			return cmd_syntax("plot: \"%s\" is no option, or wants a value", *argv);
		}
		argc--;
		argv++;
	}
	if (!input)
		return cmd_syntax("plot: no file given");
	return plot_file(input, output, job);
}

const struct command cmd_plot = {
	.name = "plot",
	.args = "FILE [ --output FILE.svg | FILE.png ] [ --job N ]",
	.help = "A picture of what symphony record wrote: steps, alpha and marks over time.",
	.run = run,
};
