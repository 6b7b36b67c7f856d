import ArgumentParser
import ConcertArchiveCommands
import DescribedTables
import DescribedTablesCommands
import EngineCommands
import SoundLibraryCommands
import TrackLibraryCommands

/// The help of `catalogctl` in a catalog of each kind.
enum KindHelps {
  static var all: [KindHelp] { [sounds, tracks, concerts, tables] }

  /// The tasks have the same names in all of them. A command of one kind that does a task is answered, in a catalog of another
  /// kind, by the command that does it there.
  private static var sounds: KindHelp {
    KindHelp(
      SoundLibraryHelp.self,
      tasks: [
        "list": ["items"], "one": ["item"], "search": ["search"], "import": ["import"],
        "check": ["lint"], "count by tag": ["facets"], "list tags": ["tag list"],
        "tag": ["tag add"], "remove tags": ["tag remove"], "rename a tag": ["tag rename"],
        "list playlists": ["music list"], "show a playlist": ["music tracks"],
      ],
      subject: KindHelp.Subject(
        table: "library_item", key: ["1d413d40-4bef-5b08-b3df-3ac297fe9e77"], column: "title"),
      examples: CatalogControl.examples,
      documents: [
        KnownDocument(
          "a seed of a sound library", .members(["seedId"]), readers: ["import"],
          beginning: "init --kind sound-library"),
        KnownDocument(
          "the manifest of a pack of sounds", .members(["packId", "assets"]),
          readers: ["manifest apply"], beginning: "init --kind sound-library"),
      ],
      if: { $0.name == "sound-library" })
  }

  private static var tracks: KindHelp {
    KindHelp(
      TrackLibraryHelp.self,
      tasks: [
        "list": ["tracks list"], "search": ["tracks search"], "import": ["tracks import"],
        "count by tag": ["tracks tag list"], "list tags": ["tracks tag list"],
        "tag": ["tracks tag add", "tracks tag set"], "remove tags": ["tracks tag set"],
        "rename a tag": ["tracks tag rename"], "play": ["tracks play"],
        "list plays": ["tracks recent"], "list playlists": ["tracks playlist list"],
        "show a playlist": ["tracks playlist show"],
      ],
      subject: KindHelp.Subject(
        table: "tracks", key: ["5a0e7c1b-63d2-4c11-9c62-7c0b1d1f0a01"], column: "title"),
      documents: [
        KnownDocument(
          "the document of a track library", .members(["tracks", "collections"]),
          readers: ["tracks import"], beginning: "init --kind track-library")
      ],
      if: { $0.name == "track-library" })
  }

  private static var concerts: KindHelp {
    KindHelp(
      ConcertArchiveHelp.self,
      tasks: [
        "list": ["shows list"], "one": ["shows show"], "search": ["shows search"],
        "import": ["shows import"], "tag": ["shows tag"], "remove tags": ["shows tag"],
        "play": ["shows play"], "list plays": ["shows recent"],
        "list playlists": ["shows collections"], "show a playlist": ["shows collections"],
      ],
      subject: KindHelp.Subject(
        table: "shows", key: ["1969-01-05-the-barn-ames-ia-usa"], column: "venue_name"),
      documents: [
        KnownDocument(
          "the manifest of a package of concerts, which is a folder", .members(["package"]),
          readers: ["shows import FOLDER", "shows import"], beginning: "init --kind concert-archive"
        ),
        KnownDocument(
          "the saved shows of a concert archive", .members(["saved_shows"]),
          readers: ["shows restore"], beginning: "init --kind concert-archive"),
      ],
      if: { $0.name == "concert-archive" })
  }

  private static var tables: KindHelp {
    KindHelp(
      DescribedTablesHelp.self,
      tasks: [
        "list": ["rows"], "one": ["rows"], "search": ["rows"], "import": ["import"],
        "check": ["lint"],
      ],
      beginning: "`\(ProgramName.current) adopt` makes one of a database, "
        + "`\(ProgramName.current) init --table` one of a file",
      documents: [
        KnownDocument(
          "a table", .endings([".csv", ".tsv"]), readers: ["import NAME=FILE"],
          otherReaders: ["tracks import"], beginning: "init --table NAME=FILE"),
        KnownDocument("a database", .beginning("SQLite format 3"), readers: ["adopt FILE"]),
        KnownDocument(
          "a description of tables", .members(["kind", "tables"]),
          readers: ["init --describe FILE", "kind check", "kind change", "projection diff"]),
      ],
      readsAny: ["import", "init --table", "diff"],
      if: { $0 is DescribedKind })
  }
}

extension CommandConfiguration {
  /// The help of the program in a catalog of one kind.
  ///
  /// - Parameters:
  ///   - kind: says what the catalog is, after "is ".
  ///   - groups: the commands of the kind.
  fileprivate init(ofCatalog kind: String, _ groups: [CommandGroup]) {
    let folder = KindAtHand.current.map { "The catalog in \($0.folder)" } ?? "This catalog"
    self.init(
      commandName: "catalogctl", abstract: CatalogControl.configuration.abstract,
      discussion: """
        \(folder) is \(kind). Below are the commands that work on it; `catalogctl help --all` lists those of all kinds.

        Exit status: 0 success; 1 an error; 2 differences or findings; 3 the log is damaged or lost \
        acknowledged events; 64 wrong usage; 130 interrupted.
        """,
      version: CatalogControl.version, groupedSubcommands: groups + CatalogControl.engineGroups)
  }
}

private struct SoundLibraryHelp: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      ofCatalog: "a sound library: music, atmospheres and effects with tags, and packs of files",
      SoundLibraryCommandGroups.all + DescribedTablesCommandGroups.ofAnyKind)
  }
}

private struct TrackLibraryHelp: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      ofCatalog: "a track library: tracks, playlists, songs with tags, plays",
      TrackLibraryCommandGroups.all + DescribedTablesCommandGroups.ofAnyKind)
  }
}

private struct ConcertArchiveHelp: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      ofCatalog: "a concert archive: shows, recordings, and a library of your own",
      ConcertArchiveCommandGroups.all + DescribedTablesCommandGroups.ofAnyKind)
  }
}

private struct DescribedTablesHelp: ParsableCommand {
  static var configuration: CommandConfiguration {
    let name = KindAtHand.current?.kind.name ?? ""
    return CommandConfiguration(
      ofCatalog: "of the kind \(name), whose tables its log describes",
      DescribedTablesCommandGroups.documents + DescribedTablesCommandGroups.all)
  }
}
