import CatalogTestSupport
import DownloadTestSupport
import Foundation
import Testing

/// A small catalog that has something in every table: packs, installed and not, music with tracks, tags of
/// several sources, merged, renamed, aliased and suppressed ones.
struct TamperedCatalog {
  static let shared = Task { try await TamperedCatalog() }

  let catalog: TestCatalog
  /// The pack that is installed, and one of its items.
  let pack: String
  let item: String
  let revision: String

  private init() async throws {
    catalog = try TestCatalog()
    let folder = catalog.folder
    let files = try FolderServer()
    var served = ServedPack(sizes: [3_000, 200])
    served.tags = ["moods": ["Ominous"]]
    try served.write(to: files.folder, at: files.address)
    pack = served.id
    item = served.assets[0].item
    revision = try folder.write(SampleSeed.text(revision: 2), to: "two.json")
    let music = try AppleMusicServer()
    defer { music.stop() }
    music.publish(ServedPlaylist(id: "pl.sample-1", numbers: 0..<4))
    let other = SampleSeed.id(201)
    for arguments in [
      ["import", try folder.write(SampleSeed.text(), to: "one.json"), "--at", TestCatalog.time],
      ["import", try folder.write(ServedPack.seed([served], at: files.address), to: "s.json")],
      ["manifest", "apply", "\(files.folder)/\(served.manifestName)"],
      ["download", served.id],
      ["music", "refresh", SampleSeed.id(1), "--tracks"],
      ["tag", "add", other, "--mood", "Spooky", "--location", "Hell"],
      ["tag", "rename", "moods", "Spooky", "Eerie"],
      ["tag", "alias", "moods", "Unheimlich", "Eerie"],
      ["tag", "merge", "moods", "Eerie", "Ominous"],
      ["tag", "suppress", other, "--mood", "Ominous"],
    ] {
      let outcome = try await Program.catalogctl(
        arguments + ["--catalog", catalog.path],
        environment: [
          "APPLE_MUSIC_API": music.address, "APPLE_MUSIC_TOKEN": MusicCommandTests.token,
        ])
      try #require(outcome.status == 0, "\(arguments): \(outcome)")
    }
  }

  /// A value that was forced into a column.
  struct Case: Decodable {
    let table: String
    let column: String
    let value: String
    /// The changed database; nil if SQLite keeps such a value out whatever is done.
    let file: String?
  }

  /// Makes a database for each column and each kind of value, of every `count`th table.
  func cases(shard: Int, of count: Int, in folder: ScratchFolder) async throws -> [Case] {
    let made = try await Program.run(
      "python3", ["-c", Self.script, catalog.database, folder.path, "\(shard)", "\(count)"])
    try #require(made.status == 0, "\(made)")
    return try JSONDecoder().decode([Case].self, from: Data(made.output.utf8))
  }

  /// A copy of the catalog with this database.
  func copy(with file: String) throws -> TestCatalog {
    let copy = try catalog.copy()
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: copy.database + ending)
    }
    try FileManager.default.copyItem(atPath: file, toPath: copy.database)
    return copy
  }

  /// Forces each value into all rows of a column, or into as many as its keys let: NOT NULL is taken out of
  /// the table's SQL for the while.
  private static let script = #"""
    import json, os, shutil, sqlite3, sys
    source, folder, shard, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    values = [
        ("text", "'an odd text'"), ("blob", "x'00ff'"), ("real", "1.5"),
        ("least", "-9223372036854775808"), ("greatest", "9223372036854775807"), ("null", "NULL"),
        ("malformed", "CAST(x'61ff62' AS TEXT)")]
    made = []

    def force(file, table, column, value):
        connection = sqlite3.connect(file, isolation_level=None)
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(f"UPDATE OR IGNORE \"{table}\" SET \"{column}\" = {value} "
                           f"WHERE \"{column}\" IS NOT {value}")
        changed = connection.execute("SELECT changes()").fetchone()[0]
        connection.close()
        return changed

    def schema(file, table, sql):
        connection = sqlite3.connect(file, isolation_level=None)
        version = connection.execute("PRAGMA schema_version").fetchone()[0]
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, table))
        connection.execute(f"PRAGMA schema_version = {version + 1}")
        connection.close()

    connection = sqlite3.connect(source)
    tables = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' "
        "AND name NOT LIKE '%search%' ORDER BY name").fetchall()
    columns = {name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
               for name, _ in tables}
    connection.close()
    for place, (table, sql) in enumerate(tables):
        if place % count != shard:
            continue
        for column in columns[table]:
            for kind, value in values:
                file = os.path.join(folder, f"{len(made)}.sqlite")
                shutil.copyfile(source, file)
                try:
                    if kind == "null":
                        schema(file, table, sql.replace("NOT NULL", ""))
                    changed = force(file, table, column, value)
                    if kind == "null":
                        schema(file, table, sql)
                except sqlite3.Error:
                    changed = 0
                if changed == 0:
                    os.unlink(file)
                made.append({"table": table, "column": column, "value": kind,
                             "file": file if changed else None})
    print(json.dumps(made))
    """#
}
