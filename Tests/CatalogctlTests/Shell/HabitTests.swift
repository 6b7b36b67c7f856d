import CatalogControl
import CatalogTestSupport
import Foundation
import Promises
import Testing

/// Lines of people who know other programs: each has an answer, or an error that names what to type instead.
@Suite(
  .promise(
    "An error names the option, the format or the command that was meant",
    by: "lines of people who know git, psql or sqlite3"))
struct HabitTests {
  /// The status, a part of what is printed, and the line; `OP` is the last operation, `ITEM` an item.
  private static let lines = #"""
    0 | catalog.created | catalogctl log | head -3
    0 | 1  2026 | catalogctl log -n 5
    0 | 1  2026 | catalogctl log --limit=5
    64 | Did you mean '--newest' with '--limit'? | catalogctl log --last 5
    64 | Did you mean '--newest' with '--limit'? | catalogctl log --tail 5
    0 | event 5 alone; --limit 5 lists as many | catalogctl log 5
    64 | Did you mean '--limit 5'? | catalogctl log --newest 5
    64 | Did you mean '--json'? | catalogctl log --jsno
    0 | 0. | catalogctl log -V
    0 | Compare two states | catalogctl help diff
    0 | Compare two states | catalogctl diff --help | head -5
    0 | Compare two states | catalogctl diff -h | head -3
    0 | OVERVIEW | catalogctl -h diff | head -3
    0 | Show subcommand help | catalogctl help help
    64 | did you mean "help"? | catalogctl hlep
    64 | did you mean "verify"? | catalogctl verfy
    0 | last event of each source | catalogctl status
    64 | did you mean "status"? | catalogctl info
    64 | Missing expected argument '<operation>' | catalogctl show
    64 | did you mean "tables"? | catalogctl ls
    64 | did you mean "tables"? | catalogctl list
    0 | SUBCOMMANDS | catalogctl history
    0 | SUBCOMMANDS | catalogctl tag
    64 | did you mean "tag"? | catalogctl tags
    64 | Missing expected argument '<id> ...' | catalogctl item
    0 | Sound 201 | catalogctl item "Sound 201"
    0 | Sound 201 | catalogctl item Sound 201
    0 | Sound 201 | catalogctl item "sound 201"
    64 | several rows of library_item | catalogctl item 00000000
    64 | no row of library_item is called | catalogctl item "Sound 999"
    64 | music, atmosphere or sfx | catalogctl items
    0 | "items" | catalogctl items sfx --json | head -3
    0 | "items" | catalogctl --json items sfx | head -3
    0 | id | catalogctl items sfx --format csv
    64 | 'text', 'json', 'jsonl' or 'csv' | catalogctl items sfx --format yaml
    0 | "items" | catalogctl items sfx --format JSON
    64 | Unknown option '-l' | catalogctl items sfx -l Forest
    1 | no value "Market" | catalogctl items sfx --location Market --location Crypt
    64 | Unknown option '--kind' | catalogctl items --kind sfx
    64 | Did you mean 'sfx'? | catalogctl items SFX
    64 | 'music' | catalogctl items sounds
    64 | Missing expected argument '<words> ...' | catalogctl search
    0 | Sound 201 | catalogctl search sound 201
    0 | 1 of | catalogctl search "sound" --limit 1
    0 | 1 of | catalogctl search -n 1 sound
    0 | 0 items | catalogctl search '*'
    0 | Sound | catalogctl search -- -sound
    64 | Missing expected argument '<from>' | catalogctl diff
    2 | library_item | catalogctl diff 1
    2 | library_item | catalogctl diff 1 2
    2 | library_item | catalogctl diff HEAD~1 HEAD
    0 | the same | catalogctl diff head live
    0 | the same | catalogctl diff live
    2 | from: after event 1; | catalogctl diff 2..head --summary
    64 | a range of events is written 1066..1120 | catalogctl diff 1066-1120
    64 | 62..57 goes back; write 57..62 | catalogctl diff 62..57
    64 | 62..57 goes back; write 57..62 | catalogctl show 62..57
    64 | 62..57 goes back; write 57..62 | catalogctl revert 62..57
    64 | '--from' | catalogctl diff --from 1066 --to 1120
    0 | the same | catalogctl diff yesterday today
    2 | added | catalogctl diff 2026-01-31 2026-02-07 --summary
    2 | removed | catalogctl diff 2026-02-07 2026-01-31 --summary
    2 | in all | catalogctl changes 2
    2 | in all | catalogctl changes OP
    2 | from: after event | catalogctl diff OP
    0 | 1 seed.imported | catalogctl show OP
    64 | name one of them | catalogctl event OP
    0 | catalog.created | catalogctl event 1
    64 | "1,120" is not a moment | catalogctl event 1,120
    1 | there is no event 99999 | catalogctl event 99999
    64 | Missing expected argument '<seq>' | catalogctl event -1
    0 | "seq" | catalogctl event latest
    0 | "seq" | catalogctl event head
    64 | Missing expected argument '<seq>' | catalogctl event --last
    64 | Missing expected argument '<table>' | catalogctl blame
    0 | title = 'Sound 201' | catalogctl blame library_item "Sound 201"
    0 | title = 'Sound 201' | catalogctl blame library_item Sound 201
    64 | did you mean "library_item"? | catalogctl blame library_items ITEM
    64 | there is no table "items" | catalogctl blame items
    64 | did you mean "title"? | catalogctl blame library_item ITEM --column titel
    0 | title | catalogctl blame library_item ITEM --column title
    0 | 1 row | catalogctl query "select 1"
    0 | 21 | catalogctl query "select count(*) from library_item;"
    1 | more than one statement | catalogctl query "select count(*) from library_item; select 2"
    1 | syntax error | catalogctl query "selct 1"
    1 | only statements that read | catalogctl query "delete from library_item"
    64 | `catalogctl tables` | catalogctl query .tables
    64 | `catalogctl tables` | catalogctl query "SHOW TABLES"
    0 | library_item | catalogctl tables
    0 | 21 | echo "select count(*) from library_item" | catalogctl query
    0 | 21 | echo "select count(*) from library_item" | catalogctl query -
    0 | 21 | echo "select count(*) from library_item" > q.sql; catalogctl query -f q.sql
    0 | 21 | echo "select count(*) from library_item" | catalogctl query --file -
    64 | Missing expected argument '<sql>' | catalogctl query < /dev/null
    0 | 1 row | catalogctl query --at yesterday "select 1"
    0 | 20 | catalogctl query --at 2 "select count(*) from library_item"
    0 | 20 | catalogctl query "select count(*) from library_item" --at 2
    0 | 1 row | catalogctl query --at "1 week ago" "select 1"
    64 | is not a day or a month of the calendar | catalogctl query --at 2026-13-01 "select 1"
    0 | 20 | catalogctl query --at 2026-01 "select count(*) from library_item"
    0 | 20 | catalogctl query --at 2026-02-01T09:00 "select count(*) from library_item"
    64 | is not a moment | catalogctl query --at 27.04.2026 "select 1"
    1 | if this is a Unix time | catalogctl query --at 1777280400 "select 1"
    1 | if this is a date, write 2026-10-17 | catalogctl query --at 20261017 "select 1"
    1 | if this is a date, write 2026-10 | catalogctl query --at 202610 "select 1"
    1 | if this is a year, name a month of it, such as 2026-12 | catalogctl query --at 2026 "select 1"
    1 | start is the state before it | catalogctl query --at 2001-01-01 "select 1"
    64 | Missing value for '--at <when>' | catalogctl query --at -1 "select 1"
    1 | there is no event 0 | catalogctl query --at 0 "select 1"
    0 | id,title | catalogctl query --format csv "select id,title from library_item limit 2"
    2 | 20 → 21 | catalogctl bisect "SELECT count(*) FROM library_item"
    1 | no such table | catalogctl bisect --sql "SELECT count(*) FROM item_locations"
    64 | Missing expected argument '<operation>' | catalogctl revert
    1 | name 2.. | catalogctl revert 5
    64 | "bb0" is not an operation | catalogctl revert bb0 --dry-run
    0 | nothing was appended | catalogctl revert HEAD --dry-run
    0 | nothing was appended | catalogctl revert last -n
    64 | did you mean "library_item"? | catalogctl revert head --table library_items
    64 | did you mean "title"? | catalogctl revert head --column titel
    64 | did you mean "revert"? | catalogctl undo
    1 | without it there is no catalog | catalogctl revert 1 --dry-run
    1 | the file does not exist | catalogctl import nofile.json
    1 | this is a folder | catalogctl import .
    64 | Did you mean '--dry-run'? | catalogctl import --dryrun seed.json
    0 | nothing new | catalogctl import -n seed.json
    64 | --at takes an ISO 8601 time | catalogctl import --at "last monday" seed.json
    0 | verified | catalogctl receipt > r.json; catalogctl verify r.json
    64 | cannot compare with a receipt | catalogctl verify --receipt r.json --quick
    0 | THE_END | catalogctl head
    64 | head~1 names the state 1 batches before | catalogctl head -1
    0 | "sequence" | catalogctl head --json
    0 | events in | catalogctl stats | head -4
    0 | 2 packs | catalogctl packs
    0 | Creatures | catalogctl pack creatures | head -3
    0 | moods | catalogctl tag list
    64 | name a tag with | catalogctl tag add ITEM Cozy
    64 | Did you mean 'locations'? | catalogctl tag rename location Forest Bazaar
    64 | Missing expected argument '<file>' | catalogctl report
    0 | no drift | catalogctl report out.html; ls out.html
    0 | 0 findings | catalogctl doctor
    0 | the log is intact | catalogctl check
    0 | \#(CatalogControl.version) | catalogctl --version; catalogctl -V; catalogctl version
    0 | THE_END | catalogctl --catalog $CATALOG_HOME head
    1 | there is no catalog in nowhere | catalogctl head --catalog nowhere
    0 | 0 events | catalogctl log --since yesterday
    0 | seed.imported | catalogctl log --since 2026-02-01 --until 2026-02-08
    64 | item.tags.set | catalogctl log --type item.tags
    0 | distinguishes capital | catalogctl log --grep 'sound 999'
    0 | known sources: seed:sample | catalogctl log --by seed
    64 | Did you mean '--newest'? | catalogctl log --reverse --limit 1
    0 | "seq" | catalogctl log --format jsonl --limit 1
    0 | 1 seed.imported | catalogctl log --operations
    0 | after event | catalogctl materialize 2 then.sqlite
    64 | Unknown option '--column' | catalogctl history row library_item ITEM --column title
    0 | Sound 201 | catalogctl history row library_item "Sound 201"
    0 | answer | catalogctl history count "select count(*) from pack"
    2 | without: events | catalogctl what-if OP
    1 | not "concert-archive" | catalogctl shows list
    """#

  @Test func eachLineIsAnsweredOrExplained() async throws {
    let catalog = try await TestCatalog.imported()
    let two = try catalog.folder.write(SampleSeed.text(revision: 2), to: "seed.json")
    let imported = await catalog.run("import", two, "--at", "2026-02-07T12:00:00Z")
    #expect(imported.status == 0, "\(imported)")
    let last = try await catalog.run("event", "head", "--format", "json").object()
    let operation = try #require(last["op"] as? String).prefix(8)
    let head = try await catalog.head()
    let program = URL(filePath: Program.catalogctl).deletingLastPathComponent().path
    for line in Self.lines.split(separator: "\n") {
      let parts = line.split(separator: " | ", maxSplits: 2).map(String.init)
      try #require(parts.count == 3, "\(line)")
      let command = parts[2].replacing("OP", with: operation).replacing(
        "ITEM", with: SampleSeed.id(201))
      let outcome = try await Program.shell(
        "cd \(catalog.folder.path); PATH=\(program):$PATH; \(command)",
        ["CATALOG_HOME": catalog.path])
      // The status of a pipe is that of its last command.
      let status = command.contains("| head") ? 0 : Int32(parts[0])
      #expect(outcome.status == status, "\(command): \(outcome)")
      let expected = parts[1].replacing("THE_END", with: "\(head.sequence) \(head.chain)")
      #expect(
        (outcome.output + outcome.errors).contains(expected), "\(command): \(outcome)")
      #expect(!outcome.errors.contains(#"\u{a}"#), "\(command): \(outcome)")
    }
  }
}
