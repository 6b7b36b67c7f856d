import EventLog

/// The tables of logs in PostgreSQL, for any number of logs in one database.
///
/// A batch is one row. Its bytes are those that an open segment has, and the columns beside them allow a linear chain and
/// nothing else: the key refuses a second batch at one place, the foreign key refuses a gap and a batch that does not follow the
/// one before it. Nothing rests on a generated column in a key, on a lock or on a notification, so that systems which speak PostgreSQL's
/// protocol keep such a log, too.
enum PostgresSchema {
  static let version = 1

  static let statements = [
    """
    CREATE TABLE IF NOT EXISTS log_format (
      version int NOT NULL PRIMARY KEY)
    """,
    """
    CREATE TABLE IF NOT EXISTS log_batch (
      catalog text NOT NULL,
      first_seq bigint NOT NULL CHECK (first_seq > 0),
      count bigint NOT NULL CHECK (count > 0),
      last_seq bigint NOT NULL CHECK (last_seq = first_seq + count - 1),
      prev_seq bigint CHECK (
        (first_seq = 1) = (prev_seq IS NULL) AND (prev_seq IS NULL OR prev_seq = first_seq - 1)),
      prev_chain bytea NOT NULL CHECK (length(prev_chain) = 32),
      chain bytea NOT NULL CHECK (length(chain) = 32),
      frame bytea NOT NULL,
      PRIMARY KEY (catalog, first_seq),
      UNIQUE (catalog, last_seq, chain),
      FOREIGN KEY (catalog, prev_seq, prev_chain) REFERENCES log_batch (catalog, last_seq, chain))
    """,
    """
    CREATE TABLE IF NOT EXISTS log_barrier (
      catalog text NOT NULL PRIMARY KEY,
      n bigint NOT NULL)
    """,
    "INSERT INTO log_format (version) VALUES (1) ON CONFLICT DO NOTHING",
  ]
}
