// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "model.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record.h"
#include "symbols.h"

#define MAX_WORDS	10

struct rule {
	enum { RULE_PREFIX, RULE_FUNCTION, RULE_MODULE } kind;
	char *name;
};

struct loader {
	const struct report_files *files;
	struct report *r;
	struct symbols sym;
	struct rule *rule;
	size_t nr_rules;
	size_t max_rules;
	size_t max_sites;
	size_t max_lines;
	bool end;
	unsigned int at;	/* line of the record */
};

static int complain(const struct loader *l, const char *what, const char *arg)
{
	fprintf(stderr, "%s:%u: %s%s%s\n", l->files->record, l->at, what,
		arg ? ": " : "", arg ? arg : "");
	return -1;
}

/* Room for one more of @nr elements; doubles. */
static void *grow(void *p, size_t nr, size_t *max, size_t size)
{
	void *q;

	if (nr < *max)
		return p;
	*max = *max ? 2 * *max : 256;
	q = realloc(p, *max * size);
	if (!q) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return q;
}

/* -- what belongs to the storage stack ------------------------------------ */

static int load_rules(struct loader *l, const char *path)
{
	static const char *const kind[] = { "prefix", "function", "module" };
	size_t size = 0, k;
	char *line = NULL;
	unsigned int at = 0;
	FILE *f = fopen(path, "re");

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	while (getline(&line, &size, f) >= 0) {
		char *save, *word, *name;

		at++;
		line[strcspn(line, "#\r\n")] = '\0';
		word = strtok_r(line, " \t", &save);
		if (!word)
			continue;
		name = strtok_r(NULL, " \t", &save);
		for (k = 0; k < 3 && strcmp(word, kind[k]); k++)
			;
		if (k == 3 || !name) {
			fprintf(stderr, "%s:%u: give prefix, function or module and a name\n",
				path, at);
			free(line);
			fclose(f);
			return -1;
		}
		l->rule = grow(l->rule, l->nr_rules, &l->max_rules, sizeof(*l->rule));
		l->rule[l->nr_rules].kind = k;
		l->rule[l->nr_rules++].name = strdup(name);
	}
	free(line);
	fclose(f);
	return 0;
}

static bool in_stack(const struct loader *l, const struct symbol *s)
{
	size_t i;

	for (i = 0; i < l->nr_rules; i++) {
		const struct rule *rule = &l->rule[i];

		switch (rule->kind) {
		case RULE_PREFIX:
			if (!strncmp(s->name, rule->name, strlen(rule->name)))
				return true;
			break;
		case RULE_FUNCTION:
			if (!strcmp(s->name, rule->name))
				return true;
			break;
		case RULE_MODULE:
			if (!strcmp(s->module, rule->name))
				return true;
			break;
		}
	}
	return false;
}

/* -- names ---------------------------------------------------------------- */

static const char *name_of(const struct loader *l, uint64_t pc, uint64_t *offset,
			   const char **module, bool *stack)
{
	const struct symbol *s = pc ? symbols_text(&l->sym, pc) : NULL;

	*module = s ? s->module : "";
	*stack = s && in_stack(l, s);
	*offset = s ? pc - s->addr : pc;
	if (s)
		return s->name;
	return pc >> 63 ? "(unknown)" : "(user)";
}

/* The object by what its address alone can tell. */
static char *object_by_address(const struct loader *l, uint64_t vaddr)
{
	const struct symbol *s = symbols_data(&l->sym, vaddr);
	char *text = NULL;

	if (!(vaddr >> 63))
		return strdup("user memory");
	/* the line may start in one variable and be hot for the next one */
	if (s && vaddr >= 0xffffffff80000000ull &&
	    asprintf(&text, "static %s+%#" PRIx64 "%s%s", s->name, vaddr - s->addr,
		     *s->module ? " " : "", s->module) > 0)
		return text;
	return strdup("");
}

/* "ADDR what it is": written in the guest, see modules/ */
static void add_objects(struct loader *l)
{
	size_t size = 0, i;
	char *line = NULL;
	FILE *f = l->files->lineinfo ? fopen(l->files->lineinfo, "re") : NULL;

	if (!f)
		return;
	while (getline(&line, &size, f) >= 0) {
		uint64_t offset;
		char *end;
		uint64_t addr = strtoull(line, &end, 16);

		if (end == line || *end != ' ')
			continue;
		end[strcspn(end, "\n")] = '\0';
		for (i = 0; i < l->r->nr_lines; i++) {
			struct line *ln = &l->r->line[i];
			const struct symbol *s;

			if (ln->vaddr != addr || *ln->object)
				continue;
			free(ln->object);
			/* a static per-CPU variable has a name in the kernel */
			if (sscanf(end, " percpu %*u %" SCNx64, &offset) == 1 &&
			    offset < l->sym.percpu_end) {
				s = symbols_data(&l->sym, offset);
				if (!s || asprintf(&ln->object, "per-CPU %s+%#" PRIx64,
						   s->name, offset - s->addr) < 0)
					ln->object = strdup(end + 1);
				continue;
			}
			ln->object = strdup(end + 1);
		}
	}
	free(line);
	fclose(f);
}

/* -- the record ----------------------------------------------------------- */

static int to_numbers(struct loader *l, char **word, int nr, uint64_t *out)
{
	char *end;
	int i;

	for (i = 0; i < nr; i++) {
		if (!word[i])
			return complain(l, "line is cut", NULL);
		errno = 0;
		out[i] = strtoull(word[i], &end, 0);
		if (errno || *end)
			return complain(l, "not a number", word[i]);
	}
	return 0;
}

static int load_site(struct loader *l, char **word)
{
	struct report *r = l->r;
	const char *module;
	struct site *s;
	uint64_t v[8];

	if (to_numbers(l, word, 8, v))
		return -1;
	r->site = grow(r->site, r->nr_sites, &l->max_sites, sizeof(*r->site));
	s = &r->site[r->nr_sites++];
	s->pc = v[0];
	s->name = name_of(l, s->pc, &s->offset, &module, &s->stack);
	s->c = (struct counts) { v[1], v[2], v[3], v[4], v[5], v[6], v[7] };
	return 0;
}

static int load_line(struct loader *l, char **word)
{
	struct report *r = l->r;
	struct line *ln;
	uint64_t v[6];

	if (to_numbers(l, word, 6, v))
		return -1;
	r->line = grow(r->line, r->nr_lines, &l->max_lines, sizeof(*r->line));
	ln = &r->line[r->nr_lines++];
	memset(ln, 0, sizeof(*ln));
	ln->addr = v[0];
	ln->vaddr = v[1];
	ln->home = v[2];
	ln->rloads = v[3];
	ln->rstores = v[4];
	ln->nodes = v[5];
	ln->object = object_by_address(l, ln->vaddr);
	return 0;
}

static int load_pair(struct loader *l, char **word)
{
	struct report *r = l->r;
	struct line_user *u;
	const char *module;
	struct line *ln;
	uint64_t v[3];
	bool stack;

	if (to_numbers(l, word, 3, v))
		return -1;
	if (!r->nr_lines)
		return complain(l, "pair before the first line", NULL);
	ln = &r->line[r->nr_lines - 1];
	ln->user = realloc(ln->user, (ln->nr_users + 1) * sizeof(*u));
	u = &ln->user[ln->nr_users++];
	u->name = name_of(l, v[0], &u->offset, &module, &stack);
	u->rloads = v[1];
	u->rstores = v[2];
	return 0;
}

static int load_head(struct loader *l, char **word)
{
	struct report *r = l->r;
	uint64_t v[2] = { 0, 0 };

	if (!strcmp(word[0], "topology")) {
		if (!word[1])
			return complain(l, "line is cut", NULL);
		r->topology = strdup(word[1]);
		return 0;
	}
	if (!strcmp(word[0], "option")) {
		char *end;
		long n;

		if (!word[1] || !word[2])
			return complain(l, "line is cut", NULL);
		n = strtol(word[2], &end, 10);
		json_object_set_new(r->options, word[1],
				    *end ? json_string(word[2]) : json_integer(n));
		return 0;
	}
	if (!strcmp(word[0], "total")) {
		if (to_numbers(l, word + 2, 1, v))
			return -1;
		json_object_set_new(r->totals, word[1], json_integer(v[0]));
		return 0;
	}
	if (to_numbers(l, word + 1, 1, v))
		return -1;
	if (!strcmp(word[0], "nodes")) {
		r->nr_nodes = v[0];
		r->memory = calloc(v[0] + 1, sizeof(*r->memory));
	} else if (!strcmp(word[0], "cpus")) {
		r->nr_cpus = v[0];
		r->cpu_node = calloc(v[0] + 1, sizeof(*r->cpu_node));
	} else if (!strcmp(word[0], "cpu") || !strcmp(word[0], "memory")) {
		bool cpu = *word[0] == 'c';

		if (to_numbers(l, word + 1, 2, v))
			return -1;
		if (v[0] >= (cpu ? r->nr_cpus : r->nr_nodes))
			return complain(l, "out of range", word[1]);
		if (cpu)
			r->cpu_node[v[0]] = v[1];
		else
			r->memory[v[0]] = v[1];
	} else if (!strcmp(word[0], "window")) {
		r->window = v[0];
	} else if (!strcmp(word[0], "complete")) {
		r->complete = v[0];
	} else if (!strcmp(word[0], REC_NR_LINES)) {
		r->lines_total = v[0];
	} else {
		return complain(l, "unknown item", word[0]);
	}
	return 0;
}

static int load_item(struct loader *l, char *text)
{
	char *word[MAX_WORDS + 1] = { NULL }, *save;
	int nr = 0;

	for (word[0] = strtok_r(text, " \n", &save); word[nr] && nr < MAX_WORDS; )
		word[++nr] = strtok_r(NULL, " \n", &save);
	if (!word[0])
		return 0;
	if (l->at == 1) {
		if (strcmp(word[0], REC_MAGIC) || !word[1] || atoi(word[1]) != REC_VERSION)
			return complain(l, "not a numasim record of version 1", NULL);
		return 0;
	}
	if (!strcmp(word[0], REC_SITE))
		return load_site(l, word + 1);
	if (!strcmp(word[0], REC_LINE))
		return load_line(l, word + 1);
	if (!strcmp(word[0], REC_PAIR))
		return load_pair(l, word + 1);
	if (!strcmp(word[0], REC_END)) {
		l->end = true;
		return 0;
	}
	return load_head(l, word);
}

static int load_record(struct loader *l)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = fopen(l->files->record, "re");
	int ret = 0;

	if (!f) {
		fprintf(stderr, "%s: %s\n", l->files->record, strerror(errno));
		return -1;
	}
	while (!ret && getline(&text, &size, f) >= 0) {
		l->at++;
		ret = load_item(l, text);
	}
	free(text);
	fclose(f);
	if (!ret && !l->end)
		ret = complain(l, "the record is cut", NULL);
	if (!ret && (!l->r->nr_cpus || !l->r->nr_nodes))
		ret = complain(l, "no node map in it", NULL);
	if (!ret && !l->r->complete)
		ret = complain(l, "the window was not closed: the run did not end", NULL);
	return ret;
}

/* -- sums ----------------------------------------------------------------- */

static void add(struct counts *to, const struct counts *c)
{
	to->insns += c->insns;
	to->loads += c->loads;
	to->stores += c->stores;
	to->rloads += c->rloads;
	to->rstores += c->rstores;
	to->local += c->local;
	to->memory += c->memory;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct site *)a)->name, ((const struct site *)b)->name);
}

static int by_remote_site(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (remote(&x->c) != remote(&y->c))
		return remote(&x->c) < remote(&y->c) ? 1 : -1;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

static int by_remote_func(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (remote(&x->c) != remote(&y->c))
		return remote(&x->c) < remote(&y->c) ? 1 : -1;
	if (x->c.insns != y->c.insns)
		return x->c.insns < y->c.insns ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int by_user(const void *a, const void *b)
{
	const struct line_user *x = a, *y = b;
	uint64_t rx = x->rloads + x->rstores, ry = y->rloads + y->rstores;

	return (rx < ry) - (rx > ry);
}

static void sum_up(struct loader *l)
{
	struct report *r = l->r;
	size_t i;

	qsort(r->site, r->nr_sites, sizeof(*r->site), by_name);
	r->func = calloc(r->nr_sites + 1, sizeof(*r->func));
	for (i = 0; i < r->nr_sites; i++) {
		struct function *f = &r->func[r->nr_funcs];
		uint64_t offset;

		if (!i || strcmp(r->site[i].name, r->site[i - 1].name)) {
			name_of(l, r->site[i].pc, &offset, &f->module, &f->stack);
			f->name = r->site[i].name;
			r->nr_funcs++;
		} else {
			f--;
		}
		add(&f->c, &r->site[i].c);
		add(&r->all, &r->site[i].c);
		if (r->site[i].stack)
			add(&r->stack, &r->site[i].c);
	}
	qsort(r->func, r->nr_funcs, sizeof(*r->func), by_remote_func);
	qsort(r->site, r->nr_sites, sizeof(*r->site), by_remote_site);
	for (i = 0; i < r->nr_lines; i++)
		qsort(r->line[i].user, r->line[i].nr_users, sizeof(*r->line[i].user),
		      by_user);
}

/* What ioload writes: "name value...", one a line. */
static int load_load(struct report *r, const char *path)
{
	size_t size = 0;
	char *line = NULL;
	FILE *f = fopen(path, "re");

	if (!f)
		return -1;
	while (getline(&line, &size, f) >= 0) {
		char *val = strchr(line, ' ');

		if (!val)
			continue;
		*val++ = '\0';
		val[strcspn(val, "\n")] = '\0';
		json_object_set_new(r->load, line, json_string(val));
		if (!strcmp(line, "ios"))
			r->ios = strtoull(val, NULL, 10);
	}
	free(line);
	fclose(f);
	return 0;
}

/* The node map of the model must be the one that the guest saw. */
static int check_map(const struct loader *l)
{
	const char *seen = json_string_value(json_object_get(l->r->load, "cpu_nodes"));
	unsigned int cpu;
	char *end;

	for (cpu = 0; seen && *seen; cpu++, seen = end) {
		long node = strtol(seen, &end, 10);

		if (end == seen)
			break;
		if (cpu < l->r->nr_cpus && node == l->r->cpu_node[cpu])
			continue;
		fprintf(stderr, "%s: CPU %u is on node %ld in the guest, but not in the plugin's topology %s\n",
			l->files->record, cpu, node, l->r->topology);
		return -1;
	}
	return 0;
}

static struct report *report_new(void)
{
	struct report *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->options = json_object();
	r->totals = json_object();
	r->load = json_object();
	r->info = json_object();
	return r;
}

struct report *report_load(const struct report_files *files, uint64_t ios)
{
	struct loader l = { .files = files, .r = report_new() };

	/* first of all: without a record nothing else is worth a message */
	if (access(files->record, R_OK)) {
		fprintf(stderr, "%s: %s%s\n", files->record, strerror(errno),
			errno == ENOENT ? " (the window was never opened, or the plugin not loaded)" : "");
		return NULL;
	}
	if (!l.r || load_rules(&l, files->stack) ||
	    (files->more_stack && load_rules(&l, files->more_stack)) ||
	    symbols_load(&l.sym, files->kallsyms) ||
	    (files->system_map && symbols_check_map(&l.sym, files->system_map)) ||
	    load_record(&l))
		return NULL;
	if (files->load)
		load_load(l.r, files->load);
	if (check_map(&l))
		return NULL;
	if (ios)
		l.r->ios = ios;
	if (!l.r->ios) {
		fprintf(stderr, "%s: number of I/Os unknown: no file of ioload beside it, and no --ios\n",
			files->record);
		return NULL;
	}
	sum_up(&l);
	add_objects(&l);
	return l.r;
}

/* -- JSON ----------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t at;
} count_fields[] = {
	{ "instructions", offsetof(struct counts, insns) },
	{ "loads", offsetof(struct counts, loads) },
	{ "stores", offsetof(struct counts, stores) },
	{ "remote_loads", offsetof(struct counts, rloads) },
	{ "remote_stores", offsetof(struct counts, rstores) },
	{ "local", offsetof(struct counts, local) },
	{ "remote_memory", offsetof(struct counts, memory) },
};

#define NR_FIELDS (sizeof(count_fields) / sizeof(count_fields[0]))

static json_t *counts_to_json(const struct counts *c)
{
	json_t *o = json_object();
	size_t i;

	for (i = 0; i < NR_FIELDS; i++)
		json_object_set_new(o, count_fields[i].name, json_integer(
			*(const uint64_t *)((const char *)c + count_fields[i].at)));
	return o;
}

static void counts_from_json(struct counts *c, const json_t *o)
{
	size_t i;

	for (i = 0; i < NR_FIELDS; i++)
		*(uint64_t *)((char *)c + count_fields[i].at) =
			json_integer_value(json_object_get(o, count_fields[i].name));
}

static json_t *hex(uint64_t v)
{
	return json_sprintf("%#" PRIx64, v);
}

static json_t *line_to_json(const struct line *ln)
{
	json_t *users = json_array();
	size_t i;

	for (i = 0; i < ln->nr_users; i++)
		json_array_append_new(users, json_pack("{s:s,s:I,s:I,s:I}",
			"function", ln->user[i].name,
			"offset", (json_int_t)ln->user[i].offset,
			"remote_loads", (json_int_t)ln->user[i].rloads,
			"remote_stores", (json_int_t)ln->user[i].rstores));
	return json_pack("{s:o,s:o,s:i,s:o,s:I,s:I,s:s,s:o}",
		"ram_offset", hex(ln->addr), "address", hex(ln->vaddr),
		"home", ln->home, "nodes", hex(ln->nodes),
		"remote_loads", (json_int_t)ln->rloads,
		"remote_stores", (json_int_t)ln->rstores,
		"object", ln->object, "sites", users);
}

static json_t *topology_to_json(const struct report *r)
{
	json_t *cpus = json_array(), *mem = json_array();
	unsigned int i;

	for (i = 0; i < r->nr_cpus; i++)
		json_array_append_new(cpus, json_integer(r->cpu_node[i]));
	for (i = 0; i < r->nr_nodes; i++)
		json_array_append_new(mem, json_integer(r->memory[i]));
	return json_pack("{s:s,s:i,s:i,s:o,s:o}", "name", r->topology,
			 "nodes", r->nr_nodes, "cpus", r->nr_cpus,
			 "cpu_node", cpus, "memory", mem);
}

json_t *report_to_json(const struct report *r, size_t top)
{
	json_t *funcs = json_array(), *sites = json_array(), *lines = json_array();
	size_t i;

	for (i = 0; i < r->nr_funcs; i++) {
		json_t *o = counts_to_json(&r->func[i].c);

		json_object_set_new(o, "name", json_string(r->func[i].name));
		json_object_set_new(o, "module", json_string(r->func[i].module));
		json_object_set_new(o, "stack", json_boolean(r->func[i].stack));
		json_array_append_new(funcs, o);
	}
	for (i = 0; i < r->nr_sites && i < top && remote(&r->site[i].c); i++) {
		json_t *o = counts_to_json(&r->site[i].c);

		json_object_set_new(o, "function", json_string(r->site[i].name));
		json_object_set_new(o, "offset", json_integer(r->site[i].offset));
		json_object_set_new(o, "pc", hex(r->site[i].pc));
		json_array_append_new(sites, o);
	}
	for (i = 0; i < r->nr_lines && i < top; i++)
		json_array_append_new(lines, line_to_json(&r->line[i]));
	return json_pack("{s:s,s:i,s:I,s:i,s:o,s:O,s:O,s:O,s:O,s:o,s:o,s:I,s:o,s:o,s:o}",
		"schema", REPORT_SCHEMA, "version", REPORT_VERSION,
		"ios", (json_int_t)r->ios, "window", r->window,
		"topology", topology_to_json(r), "options", r->options,
		"load", r->load, "info", r->info, "further", r->totals,
		"total", counts_to_json(&r->all), "stack", counts_to_json(&r->stack),
		"remote_lines", (json_int_t)r->lines_total,
		"functions", funcs, "sites", sites, "lines", lines);
}

struct report *report_from_json(const char *path)
{
	struct report *r = report_new();
	json_error_t err;
	json_t *o = json_load_file(path, 0, &err), *f, *funcs;
	const char *schema;
	size_t i;

	if (!o || !r) {
		fprintf(stderr, "%s:%d: %s\n", path, o ? 0 : err.line,
			o ? "out of memory" : err.text);
		return NULL;
	}
	schema = json_string_value(json_object_get(o, "schema"));
	if (!schema || strcmp(schema, REPORT_SCHEMA) ||
	    json_integer_value(json_object_get(o, "version")) != REPORT_VERSION) {
		fprintf(stderr, "%s: not a %s of version %d\n", path, REPORT_SCHEMA,
			REPORT_VERSION);
		return NULL;
	}
	r->ios = json_integer_value(json_object_get(o, "ios"));
	json_decref(r->info);
	r->info = json_incref(json_object_get(o, "info"));
	counts_from_json(&r->all, json_object_get(o, "total"));
	counts_from_json(&r->stack, json_object_get(o, "stack"));
	funcs = json_object_get(o, "functions");
	r->func = calloc(json_array_size(funcs) + 1, sizeof(*r->func));
	json_array_foreach(funcs, i, f) {
		struct function *fn = &r->func[r->nr_funcs++];

		fn->name = json_string_value(json_object_get(f, "name"));
		fn->module = json_string_value(json_object_get(f, "module"));
		fn->stack = json_is_true(json_object_get(f, "stack"));
		counts_from_json(&fn->c, f);
	}
	if (!r->ios) {
		fprintf(stderr, "%s: no number of I/Os in it\n", path);
		return NULL;
	}
	return r;		/* keeps @o: the names are in it */
}
