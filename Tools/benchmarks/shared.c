/* Does with libpq alone what a log in PostgreSQL does: inserts rows one by one, each committed before the next, and copies
   them out.

   usage: shared insert ADDRESS FROM TO      the rows of the log FROM again, as a log TO
          shared copy ADDRESS NAME           the rows of a log, in binary, to nowhere */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of libpq-fe.h, which is in another package than the library. */
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
extern PGconn *PQconnectdb(const char *);
extern char *PQerrorMessage(const PGconn *);
extern int PQstatus(const PGconn *);
extern PGresult *PQexecParams(PGconn *, const char *, int, const unsigned *, const char *const *, const int *, const int *, int);
extern int PQresultStatus(const PGresult *);
extern int PQntuples(const PGresult *);
extern char *PQgetvalue(const PGresult *, int, int);
extern int PQgetlength(const PGresult *, int, int);
extern int PQgetisnull(const PGresult *, int, int);
extern void PQclear(PGresult *);
extern int PQgetCopyData(PGconn *, char **, int);
extern void PQfreemem(void *);
enum { COLUMNS = 8, COMMAND = 1, TUPLES = 2, COPY_OUT = 3 };

static PGconn *connection;

static int failed(void) { return fprintf(stderr, "shared: %s", PQerrorMessage(connection)), 1; }

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static int insert(const char *from, const char *to) {
  const int formats[COLUMNS] = {0, 1, 1, 1, 1, 1, 1, 1};
  PGresult *rows = PQexecParams(connection,
    "SELECT catalog, first_seq, count, last_seq, prev_seq, prev_chain, chain, frame FROM log_batch WHERE catalog = $1 "
    "ORDER BY first_seq", 1, NULL, &from, NULL, NULL, 1);
  if (PQresultStatus(rows) != TUPLES) return failed();
  double start = now();
  long events = 0;
  for (int row = 0; row < PQntuples(rows); row++) {
    const char *values[COLUMNS];
    int lengths[COLUMNS];
    for (int column = 0; column < COLUMNS; column++) {
      values[column] = PQgetisnull(rows, row, column) ? NULL : PQgetvalue(rows, row, column);
      lengths[column] = PQgetlength(rows, row, column);
    }
    values[0] = to;
    /* A big-endian integer. */
    const unsigned char *count = (const unsigned char *)values[2];
    events += count[lengths[2] - 2] << 8 | count[lengths[2] - 1];
    PGresult *result = PQexecParams(connection,
      "INSERT INTO log_batch (catalog, first_seq, count, last_seq, prev_seq, prev_chain, chain, frame) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", COLUMNS, NULL, values, lengths, formats, 0);
    if (PQresultStatus(result) != COMMAND) return failed();
    PQclear(result);
  }
  return printf("%ld events in %f s\n", events, now() - start), 0;
}

static int copy(const char *name) {
  char statement[1000];
  snprintf(statement, sizeof statement,
    "COPY (SELECT frame, first_seq, count, prev_chain, chain FROM log_batch WHERE catalog = '%s' ORDER BY first_seq) "
    "TO STDOUT (FORMAT binary)", name);
  PGresult *result = PQexecParams(connection, statement, 0, NULL, NULL, NULL, NULL, 1);
  if (PQresultStatus(result) != COPY_OUT) return failed();
  char *bytes;
  long long total = 0;
  for (int length; (length = PQgetCopyData(connection, &bytes, 0)) > 0;) {
    total += length;
    PQfreemem(bytes);
  }
  return printf("%lld bytes\n", total), 0;
}

int main(int count, char **arguments) {
  if (count < 4) return fputs("usage: shared insert ADDRESS FROM TO | copy ADDRESS NAME\n", stderr), 64;
  connection = PQconnectdb(arguments[2]);
  if (PQstatus(connection) != 0) return failed();
  return count > 4 ? insert(arguments[3], arguments[4]) : copy(arguments[3]);
}
