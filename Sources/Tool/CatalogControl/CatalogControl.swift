public import ArgumentParser
import CatalogEngine
import CatalogPages
import ConcertArchive
import ConcertArchiveCommands
import DescribedTables
import DescribedTablesCommands
public import EngineCommands
import SoundLibrary
import SoundLibraryCommands
import Support
import TrackLibrary
import TrackLibraryCommands

/// The root of `catalogctl`.
public struct CatalogControl: AsyncParsableCommand {
  public static let configuration = CommandConfiguration(
    commandName: "catalogctl",
    abstract: "Import, replay, verify and explore event-sourced catalogs.",
    discussion: """
      The event log is the source of truth; catalog.sqlite is built from it and can be deleted at any time. The engine has \
      three kinds of catalogs: sound libraries, concert archives and track libraries. A file or a database describes tables \
      of your own, a kind of its own. The help of init names all kinds.

      Exit status: 0 success; 1 an error; 2 differences or findings; 3 the log is damaged or lost \
      acknowledged events; 64 wrong usage; 130 interrupted.
      """,
    version: CatalogControl.version,
    groupedSubcommands: SoundLibraryCommandGroups.all + ConcertArchiveCommandGroups.all
      + TrackLibraryCommandGroups.all + DescribedTablesCommandGroups.all + engineGroups)

  /// The commands that catalogs of all kinds have.
  static var engineGroups: [CommandGroup] {
    [
      EngineCommandGroups.start, SoundLibraryCommandGroups.history(pages: PageCommands.all),
      EngineCommandGroups.replay, EngineCommandGroups.care,
    ]
  }

  /// The version of the newest dated release in the changelog, which `Tools/check-version` compares.
  package static let version = "0.2.0"

  public init() {}
}

extension CatalogControl {
  /// The program that knows sound libraries, concert archives and track libraries.
  public static var program: CatalogProgram {
    CatalogProgram(
      CatalogControl.self, kinds: [SoundLibraryKind(), ConcertArchiveKind(), TrackLibraryKind()],
      descriptions: DescribedKinds(),
      examples: examples,
      variants: DescribedTablesCommandGroups.variants,
      helps: KindHelps.all,
      words: {
        $0 == .begin
          ? .phrase("import a seed first, or create a catalog of any kind with `catalogctl init`")
          : nil
      })
  }

  /// Lines to type about sound libraries, the first kind, by the command's name.
  static let examples = [
    "bisect": ["catalogctl bisect 'SELECT count(*) > 27 FROM pack'"],
    "blame": [
      "catalogctl blame library_item 1d413d40-4bef-5b08-b3df-3ac297fe9e77",
      "catalogctl blame pack 574a1bfe-e8b9-5a15-8e4e-f63c1115ed08 --column title",
    ],
    "query": [
      "catalogctl query 'SELECT kind, count(*) FROM library_item GROUP BY kind'",
      "catalogctl query --at 3533 'SELECT title FROM pack'",
    ],
  ]
}
