// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report for a terminal, and as markdown: the same tables.
 */
#include <err.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "numaio.h"
#include "report.h"

/* One of the ASCII control characters, or (two bytes of UTF-8) of those from U+0080 on? */
static bool is_control(const char *s)
{
	const unsigned char *c = (const unsigned char *)s;

	return c[0] < ' ' || c[0] == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0);
}

/* What a record says must not move the cursor. */
static void put_plain(const char *s, FILE *f)
{
	for (; *s; s++)
		putc(is_control(s) ? '?' : *s, f);
}

static void fill_row(const struct report_table *t, size_t row, struct libscols_table *tb)
{
	struct libscols_line *line = scols_table_new_line(tb, NULL);

	for (size_t i = 0; i < t->nr_columns; i++)
		if (!line || scols_line_set_data(line, i, t->cells[row * t->nr_columns + i]))
			err(EXIT_FAILED, "table");
}

static bool print_table(const struct report_table *t, FILE *f)
{
	struct libscols_table *tb = scols_new_table();
	int rc;

	if (!tb)
		err(EXIT_FAILED, "table");
	scols_table_set_stream(tb, f);
	for (size_t i = 0; i < t->nr_columns; i++)
		if (!scols_table_new_column(tb, t->heads[i], 0, t->right[i] ? SCOLS_FL_RIGHT : 0))
			err(EXIT_FAILED, "table");
	for (size_t i = 0; i < t->nr_rows; i++)
		fill_row(t, i, tb);
	put_plain(t->title, f);
	putc('\n', f);
	rc = scols_print_table(tb);
	scols_unref_table(tb);
	putc('\n', f);
	return !rc;
}

bool report_print_text(const struct report *r, FILE *f)
{
	struct report_remarks remarks;
	struct report_tables tables;
	bool ok = true;

	report_tables(r, &tables);
	report_remarks(r, &remarks);
	put_plain(r->own.rec->experiment, f);
	fputs("\n\n", f);
	for (size_t i = 0; i < tables.n; i++)
		if (tables.v[i].nr_rows)
			ok &= print_table(&tables.v[i], f);
	for (size_t i = 0; i < remarks.n; i++) {
		fputs("* ", f);
		put_plain(remarks.v[i], f);
		putc('\n', f);
	}
	report_tables_free(&tables);
	report_remarks_free(&remarks);
	return ok && !ferror(f);
}

static void put_markdown(const char *s, FILE *f)
{
	for (; *s; s++) {
		if (strchr("|\\<*`[", *s))
			putc('\\', f);
		putc(is_control(s) ? ' ' : *s, f);
	}
}

static void print_markdown_table(const struct report_table *t, FILE *f)
{
	fputs("## ", f);
	put_markdown(t->title, f);
	fputs("\n\n", f);
	for (size_t i = 0; i < t->nr_columns; i++) {
		fputs("| ", f);
		put_markdown(t->heads[i], f);
		putc(' ', f);
	}
	fputs("|\n", f);
	for (size_t i = 0; i < t->nr_columns; i++)
		fputs(t->right[i] ? "|---:" : "|---", f);
	fputs("|\n", f);
	for (size_t i = 0; i < t->nr_rows * t->nr_columns; i++) {
		fputs("| ", f);
		put_markdown(t->cells[i], f);
		fputs((i + 1) % t->nr_columns ? " " : " |\n", f);
	}
	putc('\n', f);
}

bool report_print_markdown(const struct report *r, FILE *f)
{
	struct report_remarks remarks;
	struct report_tables tables;

	report_tables(r, &tables);
	report_remarks(r, &remarks);
	fputs("# ", f);
	put_markdown(r->own.rec->experiment, f);
	fputs("\n\n", f);
	for (size_t i = 0; i < tables.n; i++)
		if (tables.v[i].nr_rows)
			print_markdown_table(&tables.v[i], f);
	for (size_t i = 0; i < remarks.n; i++) {
		fputs("* ", f);
		put_markdown(remarks.v[i], f);
		putc('\n', f);
	}
	report_tables_free(&tables);
	report_remarks_free(&remarks);
	return !ferror(f);
}
