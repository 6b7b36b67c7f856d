/* Writes the rows of a finished database into a new one, as fast as SQLite's interface allows.

   usage: floor SOURCE NEW [key|ORDER] [search]

   Before the clock starts: the schema and all rows of SOURCE are read into memory. Then, timed: the same
   tables, filled one after another by one prepared statement each, values bound in place; then the same
   indexes; no journal, no sync while writing, no checks of constraints, one transaction, and an fsync at the
   end. `key` gives rows in the order of their keys. ORDER is a file with lines of a table's name, a space
   and the query that gives its rows in another order; then the rows of all tables take turns, as they come
   to a program that keeps rows as they arrive. With `search` the full-text indexes are made too, last.

   Prints one line: seconds of rows, of indexes, of full-text indexes, of commit and fsync, and in all.

   Build: cc -O2 -o floor floor.c -l:libsqlite3.so.0 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The few declarations of sqlite3.h that are used: its header comes in a package of its own. */
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef int64_t sqlite3_int64;
extern int sqlite3_open_v2(const char *, sqlite3 **, int, const char *);
extern int sqlite3_close(sqlite3 *);
extern int sqlite3_exec(sqlite3 *, const char *, void *, void *, char **);
extern int sqlite3_prepare_v2(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
extern int sqlite3_step(sqlite3_stmt *);
extern int sqlite3_reset(sqlite3_stmt *);
extern int sqlite3_finalize(sqlite3_stmt *);
extern int sqlite3_column_count(sqlite3_stmt *);
extern int sqlite3_column_type(sqlite3_stmt *, int);
extern int sqlite3_column_int(sqlite3_stmt *, int);
extern sqlite3_int64 sqlite3_column_int64(sqlite3_stmt *, int);
extern double sqlite3_column_double(sqlite3_stmt *, int);
extern const void *sqlite3_column_blob(sqlite3_stmt *, int);
extern const unsigned char *sqlite3_column_text(sqlite3_stmt *, int);
extern int sqlite3_column_bytes(sqlite3_stmt *, int);
extern int sqlite3_bind_null(sqlite3_stmt *, int);
extern int sqlite3_bind_int64(sqlite3_stmt *, int, sqlite3_int64);
extern int sqlite3_bind_double(sqlite3_stmt *, int, double);
extern int sqlite3_bind_text(sqlite3_stmt *, int, const char *, int, void (*)(void *));
extern int sqlite3_bind_blob(sqlite3_stmt *, int, const void *, int, void (*)(void *));
extern const char *sqlite3_errmsg(sqlite3 *);
enum { OK = 0, ROW = 100, DONE = 101, READONLY = 1, READWRITE = 2, CREATE = 4, NOMUTEX = 0x8000 };
enum { INTEGER = 1, FLOAT = 2, TEXT = 3, BLOB = 4, NULL_ = 5 };

typedef struct {
  int type, length;
  union {
    sqlite3_int64 integer;
    double real;
    size_t place; /* in `bytes` */
  } value;
} Cell;

typedef struct {
  char *name, *sql;
  int columns;
  size_t first, rows; /* in `cells`, counted in rows of this table */
} Table;

static Cell *cells;
static size_t cell_count, cell_room;
static char *bytes;
static size_t byte_count, byte_room;
static Table tables[256];
static int table_count;
static char *late[1024]; /* indexes and triggers */
static int late_is_trigger[1024];
static int late_count;
static char *search[64];
static char *search_names[64];
static int search_count, search_fills;

static void fail(sqlite3 *db, const char *what) {
  fprintf(stderr, "floor: %s: %s\n", what, db ? sqlite3_errmsg(db) : "failed");
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void run(sqlite3 *db, const char *sql) {
  if (sqlite3_exec(db, sql, NULL, NULL, NULL) != OK) fail(db, sql);
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != OK) fail(db, sql);
  return statement;
}

static size_t keep(const void *data, int length) {
  if (byte_count + length > byte_room) {
    byte_room = (byte_room + length) * 2;
    bytes = realloc(bytes, byte_room);
    if (!bytes) fail(NULL, "memory");
  }
  memcpy(bytes + byte_count, data, length);
  byte_count += length;
  return byte_count - length;
}

/* The query of a table's rows. */
static void query(const Table *table, const char *order, char *sql, size_t size) {
  snprintf(sql, size, "SELECT * FROM \"%s\"", table->name);
  FILE *file = order ? fopen(order, "r") : NULL;
  if (order && !file) fail(NULL, order);
  char line[2048];
  size_t length = strlen(table->name);
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, table->name, length) && line[length] == ' ')
      snprintf(sql, size, "%s", line + length + 1);
  if (file) fclose(file);
}

static void load(sqlite3 *db, Table *table, const char *order) {
  char sql[2048];
  query(table, order, sql, sizeof sql);
  sqlite3_stmt *statement = prepare(db, sql);
  table->columns = sqlite3_column_count(statement);
  table->first = cell_count;
  while (sqlite3_step(statement) == ROW) {
    if (cell_count + table->columns > cell_room) {
      cell_room = (cell_room + table->columns) * 2;
      cells = realloc(cells, cell_room * sizeof *cells);
      if (!cells) fail(NULL, "memory");
    }
    for (int column = 0; column < table->columns; column++) {
      Cell *cell = &cells[cell_count++];
      cell->type = sqlite3_column_type(statement, column);
      cell->length = 0;
      switch (cell->type) {
      case INTEGER: cell->value.integer = sqlite3_column_int64(statement, column); break;
      case FLOAT: cell->value.real = sqlite3_column_double(statement, column); break;
      case TEXT:
      case BLOB: {
        const void *data = cell->type == TEXT ? (const void *)sqlite3_column_text(statement, column)
                                              : sqlite3_column_blob(statement, column);
        cell->length = sqlite3_column_bytes(statement, column);
        cell->value.place = keep(data, cell->length);
        break;
      }
      }
    }
    table->rows++;
  }
  sqlite3_finalize(statement);
}

static int is_shadow(const char *name) {
  for (int index = 0; index < search_count; index++) {
    size_t length = strlen(search_names[index]);
    if (!strncmp(name, search_names[index], length) && name[length] == '_') return 1;
  }
  return 0;
}

static void load_all(const char *path, const char *order) {
  sqlite3 *db;
  if (sqlite3_open_v2(path, &db, READONLY | NOMUTEX, NULL) != OK) fail(db, path);
  sqlite3_stmt *all = prepare(
    db, "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
        " ORDER BY sql NOT LIKE 'CREATE VIRTUAL%', rowid");
  while (sqlite3_step(all) == ROW) {
    char *type = strdup((const char *)sqlite3_column_text(all, 0));
    char *name = strdup((const char *)sqlite3_column_text(all, 1));
    char *sql = strdup((const char *)sqlite3_column_text(all, 2));
    if (!strncmp(sql, "CREATE VIRTUAL", 14)) {
      search_names[search_count] = name;
      search[search_count++] = sql;
    } else if (strcmp(type, "table")) {
      late_is_trigger[late_count] = !strcmp(type, "trigger");
      late[late_count++] = sql;
    } else if (!is_shadow(name)) {
      tables[table_count++] = (Table){.name = name, .sql = sql};
    }
  }
  sqlite3_finalize(all);
  for (int index = 0; index < table_count; index++) load(db, &tables[index], order);
  sqlite3_close(db);
}

static void bind(sqlite3_stmt *statement, const Cell *cell, int index) {
  switch (cell->type) {
  case INTEGER: sqlite3_bind_int64(statement, index, cell->value.integer); break;
  case FLOAT: sqlite3_bind_double(statement, index, cell->value.real); break;
  case TEXT: sqlite3_bind_text(statement, index, bytes + cell->value.place, cell->length, NULL); break;
  case BLOB: sqlite3_bind_blob(statement, index, bytes + cell->value.place, cell->length, NULL); break;
  default: sqlite3_bind_null(statement, index);
  }
}

static sqlite3_stmt *insert(sqlite3 *db, const Table *table) {
  char sql[2048];
  int length = snprintf(sql, sizeof sql, "INSERT INTO \"%s\" VALUES (?", table->name);
  for (int column = 1; column < table->columns; column++)
    length += snprintf(sql + length, sizeof sql - length, ",?");
  snprintf(sql + length, sizeof sql - length, ")");
  return prepare(db, sql);
}

static void write_row(sqlite3 *db, sqlite3_stmt *statement, const Table *table, size_t row) {
  const Cell *cell = &cells[table->first + row * table->columns];
  for (int column = 0; column < table->columns; column++) bind(statement, &cell[column], column + 1);
  if (sqlite3_step(statement) != DONE) fail(db, table->name);
  sqlite3_reset(statement);
}

/* All rows of all tables, each table's spread evenly over the whole. */
static uint64_t *turns(size_t *count) {
  size_t next[256] = {0};
  *count = 0;
  for (int index = 0; index < table_count; index++) *count += tables[index].rows;
  uint64_t *order = malloc((*count + 1) * sizeof *order);
  if (!order) fail(NULL, "memory");
  for (size_t place = 0; place < *count; place++) {
    int first = -1;
    double least = 2;
    for (int index = 0; index < table_count; index++) {
      if (next[index] == tables[index].rows) continue;
      double share = (double)next[index] / tables[index].rows;
      if (share < least) least = share, first = index;
    }
    order[place] = (uint64_t)first << 48 | next[first]++;
  }
  return order;
}

int main(int count, char **arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: floor SOURCE NEW [key|ORDER] [search]\n");
    return 64;
  }
  const char *arrival = count > 3 && strcmp(arguments[3], "key") ? arguments[3] : NULL;
  int with_search = count > 4 && !strcmp(arguments[4], "search");
  load_all(arguments[1], arrival);
  size_t order_count = 0;
  uint64_t *order = arrival ? turns(&order_count) : NULL;
  unlink(arguments[2]);

  double start = now();
  sqlite3 *db;
  if (sqlite3_open_v2(arguments[2], &db, READWRITE | CREATE | NOMUTEX, NULL) != OK)
    fail(db, arguments[2]);
  run(db, "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
          "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536;"
          "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; BEGIN EXCLUSIVE");
  for (int index = 0; index < table_count; index++) run(db, tables[index].sql);
  if (arrival) {
    sqlite3_stmt *inserts[256];
    for (int index = 0; index < table_count; index++) inserts[index] = insert(db, &tables[index]);
    for (size_t place = 0; place < order_count; place++) {
      int index = order[place] >> 48;
      write_row(db, inserts[index], &tables[index], order[place] & 0xFFFFFFFFFFFF);
    }
    for (int index = 0; index < table_count; index++) sqlite3_finalize(inserts[index]);
  } else {
    for (int index = 0; index < table_count; index++) {
      sqlite3_stmt *statement = insert(db, &tables[index]);
      for (size_t row = 0; row < tables[index].rows; row++)
        write_row(db, statement, &tables[index], row);
      sqlite3_finalize(statement);
    }
  }
  double rows = now();
  for (int index = 0; index < late_count; index++)
    if (!late_is_trigger[index]) run(db, late[index]);
  double indexes = now();
  if (with_search) {
    for (int index = 0; index < search_count; index++) run(db, search[index]);
    for (int index = 0; index < search_count; index++) {
      if (!strstr(search[index], "fts5(")) continue;
      char sql[512];
      snprintf(sql, sizeof sql, "INSERT INTO \"%s\"(\"%s\") VALUES ('rebuild')", search_names[index],
               search_names[index]);
      run(db, sql);
      search_fills++;
    }
    for (int index = 0; index < late_count; index++)
      if (late_is_trigger[index]) run(db, late[index]);
  }
  double searches = now();
  run(db, "COMMIT");
  sqlite3_close(db);
  int file = open(arguments[2], O_RDONLY);
  if (file < 0 || fsync(file) != 0) fail(NULL, "fsync");
  close(file);
  double end = now();
  printf("rows %.4f indexes %.4f search %.4f sync %.4f all %.4f\n", rows - start, indexes - rows,
         searches - indexes, end - searches, end - start);
  return 0;
}
