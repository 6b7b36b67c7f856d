import CatalogTestSupport
import Promises
import Testing

/// Events of a few bytes that make as many rows as they can.
@Suite(
  .promise(
    "Whatever decodes has an effect, the same in both row stores and in Python, and stops "
      + "no replay",
    by: "events of a few bytes that make as many rows as they can"))
struct DoublingTests {
  /// Sixteen events make one track 65,536 places, and a hundred name that list again: without a bound, 6.7 million rows.
  @Test func aListThatIsDoubledAgainAndAgainStaysSmall() async throws {
    let catalog = try TestCatalog()
    try PoisonedLog.doubling(times: 16, andAgain: 100).write(to: catalog.events)
    let rebuilt = await catalog.run("rebuild")
    #expect(rebuilt.status == 0, "\(rebuilt)")
    let rows = await catalog.run("query", "SELECT count(*) AS n FROM playlist_track")
    // 1 + 2 + 4 + … + 512.
    #expect(rows.output.contains("1023"), "\(rows)")
    let reducer = try await Program.run(
      "python3", ["\(Program.package)/Tools/reducer.py", catalog.events, catalog.database])
    #expect(reducer.status == 0, "\(reducer)")
  }
}
