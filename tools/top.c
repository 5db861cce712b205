// SPDX-License-Identifier: GPL-2.0
/* symphony top: a table of jobs that lives. */
#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "toplist.h"

#define FILTER_MAX	24
#define KEY_ESCAPE	27
/* Lines above and below the rows. */
#define HEAD_LINES	3
#define FOOT_LINES	1

/*
 * Share of a processor that looking at all jobs may take. If they are so many that it
 * would take more, those on the screen are looked at each time, the others now and then,
 * but each so often.
 */
#define ALL_SHARE	0.01
#define ALL_EVERY_MAX	10000	/* milliseconds */

struct screen {
	struct context *ctx;
	struct symphony_place place;
	struct toplist top;
	struct top_job **selected;
	size_t nr;
	size_t first;
	enum top_order order;
	bool reverse;
	bool misaligned;
	bool paused;
	bool typing;		/* of the filter */
	bool utf8;
	char filter[FILTER_MAX + 1];
	int delay;		/* milliseconds */
	double cost;		/* of a look at all jobs, seconds of processor time */
	long all_due;		/* when all are looked at next, milliseconds */
	int err;
};

static const char *const order_names[NR_ORDERS] = {
	[BY_MARKS]	= "marks/s",
	[BY_BYTES]	= "bytes/s",
	[BY_ALPHA]	= "alpha",
	[BY_AHEAD]	= "ahead",
	[BY_STEP]	= "step",
	[BY_JOB]	= "job",
};

static int rows_of_screen(void)
{
	int rows = LINES - HEAD_LINES - FOOT_LINES;

	return rows > 0 ? rows : 0;
}

/* Levels against the largest of the job's own samples: the shape, not the size. */
static void spark(const struct screen *screen, const float *history, char *text, size_t size)
{
	/* eighths of a block, U+2581 to U+2588 */
	static const char *const blocks[] = {
		" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588",
	};
	static const char *const ascii[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	const char *const *levels = screen->utf8 ? blocks : ascii;
	float most = 0;
	int i, level;

	for (i = 0; i < HISTORY; i++)
		most = history[i] > most ? history[i] : most;
	*text = '\0';
	for (i = 0; i < HISTORY; i++) {
		level = most > 0 ? (int)(history[i] / most * 8 + 0.999f) : 0;
		strncat(text, levels[level > 8 ? 8 : level], size - strlen(text) - 1);
	}
}

/* Milliseconds between two looks at all jobs: a multiple of those between two looks. */
static long all_every(const struct screen *screen)
{
	double wanted = screen->cost * 1000 / ALL_SHARE;

	if (wanted > ALL_EVERY_MAX)
		wanted = ALL_EVERY_MAX;
	return ((long)(wanted / screen->delay) + 1) * screen->delay;
}

static void draw_head(const struct screen *screen)
{
	time_t seconds = time(NULL);
	char clock[16];
	struct tm tm;

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&seconds, &tm));
	mvprintw(0, 0, "symphony top %s  %zu jobs, %zu misaligned%s", clock, screen->top.nr,
		 screen->top.misaligned, screen->paused ? "  PAUSED" : "");
	clrtoeol();
	mvprintw(1, 0, "sorted by %s%s", order_names[screen->order],
		 screen->reverse ? ", smallest first" : "");
	if (all_every(screen) > screen->delay)
		printw(", anew every %ld s", (all_every(screen) + 999) / 1000);
	if (screen->misaligned)
		printw("  misaligned only");
	if (*screen->filter || screen->typing)
		printw("  filter: %s%s", screen->filter, screen->typing ? "_" : "");
	if (screen->nr != screen->top.nr)
		printw("  (%zu of them)", screen->nr);
	clrtoeol();
	attron(A_REVERSE);
	mvprintw(2, 0, "%-14s %8s %5s %6s %5s %6s %8s %8s %-11s", "TABLE", "JOB", "STEP", "SPREAD",
		 "ALPHA", "AHEAD", "MARKS/S", "BYTES/S", " MARKS");
	attroff(A_REVERSE);
	clrtoeol();
}

static void draw_row(const struct screen *screen, int line, const struct top_job *job)
{
	char table[TEXT_MAX], spread[TEXT_MAX] = "-", marks[TEXT_MAX], bytes[TEXT_MAX];
	bool misaligned = job->row.state[SYMPHONY_STATE_ATTR_ALPHA] > 1;
	char sparks[HISTORY * 4 + 1];

	if (job->spread >= 0)
		snprintf(spread, sizeof(spread), "%d", job->spread);
	spark(screen, job->history, sparks, sizeof(sparks));
	if (misaligned)
		attron(A_BOLD);
	mvprintw(line, 0, "%-14s %8u %5llu %6s %5llu %5.1f%% %8s %8s  %s",
		 place_text(&job->row.place, table), job->row.job,
		 job->row.state[SYMPHONY_STATE_ATTR_STEP_MIN], spread,
		 job->row.state[SYMPHONY_STATE_ATTR_ALPHA], 100 * job->ahead,
		 text_number(job->marks, marks), text_number(job->bytes, bytes), sparks);
	attroff(A_BOLD);
	clrtoeol();
}

static void draw(struct screen *screen)
{
	int rows = rows_of_screen(), i;

	draw_head(screen);
	for (i = 0; i < rows; i++) {
		if (screen->first + i < screen->nr) {
			draw_row(screen, HEAD_LINES + i, screen->selected[screen->first + i]);
			continue;
		}
		move(HEAD_LINES + i, 0);
		clrtoeol();
	}
	mvprintw(LINES - 1, 0,
		 "q quit  s sort  r reverse  / filter  x misaligned only  space pause  arrows");
	clrtoeol();
	refresh();
}

/* Sorted anew. */
static void select_jobs(struct screen *screen)
{
	struct top_job **grown;

	grown = reallocarray(screen->selected, screen->top.nr + 1, sizeof(*grown));
	if (!grown)
		return;
	screen->selected = grown;
	screen->nr = toplist_select(&screen->top, screen->filter, screen->misaligned,
				    screen->order, screen->reverse, screen->selected);
	if (screen->first >= screen->nr)
		screen->first = 0;
}

/* What can be seen: its first job, and how many. */
static struct top_job **seen(const struct screen *screen, size_t *nr)
{
	size_t rows = rows_of_screen(), left = screen->nr - screen->first;

	*nr = left < rows ? left : rows;
	return screen->selected + screen->first;
}

static void type_filter(struct screen *screen, int key)
{
	size_t len = strlen(screen->filter);

	if (key == '\n' || key == KEY_ENTER || key == KEY_ESCAPE) {
		screen->typing = false;
		if (key == KEY_ESCAPE)
			screen->filter[0] = '\0';
	} else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && len) {
		screen->filter[len - 1] = '\0';
	} else if (key < 128 && isprint(key) && len < FILTER_MAX) {
		screen->filter[len] = key;
		screen->filter[len + 1] = '\0';
	}
}

static void scroll_by(struct screen *screen, long by)
{
	long first = (long)screen->first + by;

	if (first > (long)screen->nr - rows_of_screen())
		first = (long)screen->nr - rows_of_screen();
	screen->first = first > 0 ? first : 0;
}

/* false ends it. */
static bool press(struct screen *screen, int key)
{
	if (screen->typing) {
		type_filter(screen, key);
		return true;
	}
	switch (key) {
	case 'q':
		return false;
	case 's':
		screen->order = (screen->order + 1) % NR_ORDERS;
		break;
	case 'r':
		screen->reverse = !screen->reverse;
		break;
	case 'x':
		screen->misaligned = !screen->misaligned;
		break;
	case '/':
		screen->typing = true;
		screen->filter[0] = '\0';
		break;
	case ' ':
		screen->paused = !screen->paused;
		break;
	case KEY_UP:
		scroll_by(screen, -1);
		break;
	case KEY_DOWN:
		scroll_by(screen, 1);
		break;
	case KEY_PPAGE:
		scroll_by(screen, -rows_of_screen());
		break;
	case KEY_NPAGE:
		scroll_by(screen, rows_of_screen());
		break;
	}
	return true;
}

static long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static double processor_seconds(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec + used.tv_nsec / 1e9;
}

/* A look at all jobs, which are sorted anew. */
static void look_at_all(struct screen *screen)
{
	double began = processor_seconds(), cost;

	screen->err = toplist_sample(screen->ctx, &screen->place, &screen->top);
	if (screen->err)
		return;
	select_jobs(screen);
	cost = processor_seconds() - began;
	/* what the clock cannot measure one look has in another */
	screen->cost = screen->cost ? (3 * screen->cost + cost) / 4 : cost;
}

/* The next sample. What cannot be seen is not asked for its flows. */
static void look(struct screen *screen, long now)
{
	struct top_job **jobs;
	size_t nr;

	if (now >= screen->all_due) {
		look_at_all(screen);
		screen->all_due = now + all_every(screen) - screen->delay / 2;
	} else {
		jobs = seen(screen, &nr);
		screen->err = toplist_refresh(screen->ctx, &screen->place, &screen->top, jobs, nr);
	}
	if (screen->err)
		return;
	jobs = seen(screen, &nr);
	toplist_spread(screen->ctx, &screen->place, &screen->top, jobs, nr);
}

static void live(struct screen *screen)
{
	long due = milliseconds(), left;
	int key;

	for (;;) {
		if (milliseconds() >= due && !screen->paused) {
			look(screen, milliseconds());
			if (screen->err)
				return;
		}
		draw(screen);
		while (due <= milliseconds())
			due += screen->delay;
		left = due - milliseconds();
		timeout(left > 0 ? (int)left : 0);
		key = getch();
		if (key == ERR)
			continue;
		if (!press(screen, key))
			return;
		select_jobs(screen);
	}
}

static int read_delay(const char *word, int *delay)
{
	char *end;
	double seconds = strtod(word, &end);

	if (end == word || *end || !(seconds >= 0.1 && seconds <= 3600))
		return cmd_syntax("top: --interval \"%s\": not seconds from 0.1 to 3600", word);
	*delay = (int)(seconds * 1000);
	return 0;
}

static int run(struct context *ctx, int argc, char **argv)
{
	struct screen screen = { .ctx = ctx, .delay = 1000 };
	int status = 0;

	while (argc && !status) {
		if (argc > 1 && !strcmp(*argv, "--interval")) {
			status = read_delay(argv[1], &screen.delay);
			argc -= 2;
			argv += 2;
		} else {
			status = place_argument("top", &argc, &argv, &screen.place);
		}
	}
	if (!status && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		status = cmd_syntax("top: needs a terminal; symphony record is for files");
	status = status ?: cmd_connect(ctx);
	if (status)
		return status;
	setlocale(LC_CTYPE, "");
	screen.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!newterm(NULL, stdout, stdin))
		return cmd_syntax("top: this terminal is unknown: TERM=%s", getenv("TERM") ?: "");
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	live(&screen);
	endwin();
	toplist_free(&screen.top);
	free(screen.selected);
	return screen.err ? cmd_kernel(ctx, "jobs") : 0;
}

const struct command cmd_top = {
	.name = "top",
	.args = "[ --interval SECONDS ] " PLACE_ARGS,
	.help = "A live table of jobs: q quits, s sorts, / filters; the last line has all keys.",
	.run = run,
};
