import CatalogTestSupport
import Foundation
import Promises
import Testing

/// A show or collection that is not there is refused by all commands alike, and the one that was meant is named.
@Suite(
  .promise(
    "Commands of concert archives name what an import removes, and the id that a wrong one "
      + "was meant to be"))
struct ShowsRefusalTests {
  private static let show = "1977-05-08-lantern-hall-millbrook-ny-usa"

  @Test func whatIsNotThereIsRefusedAndWhatWasMeantIsNamed() async throws {
    let archive = try TestCatalog()
    func shows(_ words: String...) async -> (status: Int32, errors: String) {
      let outcome = await InProcess.run(["shows"] + words + ["--catalog", archive.path])
      return (outcome.status, outcome.errors)
    }
    _ = await InProcess.run(["init", "--kind", "concert-archive", "--catalog", archive.path])
    #expect(
      await shows("import", ScratchFolder.repository + "/Examples/Concerts/data-v1.0.0").status == 0
    )
    let misspelt = Self.show.replacing("lantern", with: "latern")
    for words in [
      ["show", misspelt], ["next", misspelt], ["previous", misspelt], ["recordings", misspelt],
      ["save", misspelt], ["unsave", misspelt], ["pin", misspelt], ["note", misspelt, "x"],
      ["rate", misspelt, "3"], ["tag", misspelt, "x"], ["play", misspelt, "--seconds", "2"],
    ] {
      let outcome = await InProcess.run(["shows"] + words + ["--catalog", archive.path])
      #expect(outcome.status == 1, "\(words)")
      #expect(
        outcome.errors.contains(
          "there is no show \"\(misspelt)\"; did you mean \"\(Self.show)\"?"), "\(outcome.errors)")
    }
    // The beginning of one id is enough to know it; that of several is not.
    #expect(await shows("show", "1977-05-08-").errors.contains("did you mean \"\(Self.show)\"?"))
    #expect(await shows("show", "1970-02-13-").errors.contains("shows search` finds shows"))
    // A date or a venue that one show has is that show.
    #expect(await shows("show", "1977-05-08").status == 0)
    #expect(await shows("show", "st. louis armory").status == 0)
    let several = await shows("save", "1970-02-13")
    #expect(
      several.status == 64
        && several.errors.contains("several rows of shows are called \"1970-02-13\""))
    #expect(await shows("save", "").errors.contains("there is no show \"\""))
    #expect(await shows("show", "a\nb").errors.contains("there is no show \"a\\u{a}b\""))
    #expect(await shows("collections", "late-bran").errors.contains("did you mean \"late-barn\"?"))
    #expect(await shows("pin", Self.show).errors.contains("shows save \(Self.show)` adds it"))
  }

  /// A value that was left out may be a slip: the option that means a removal is named, and the value that goes.
  @Test func aRemovalIsSaid() async throws {
    let archive = try TestCatalog()
    func run(_ words: String...) async -> Outcome {
      await InProcess.run(words + ["--catalog", archive.path])
    }
    _ = await run("init", "--kind", "concert-archive")
    _ = await run("shows", "import", ScratchFolder.repository + "/Examples/Concerts/data-v1.0.0")
    #expect(await run("shows", "save", Self.show).status == 0)
    for (command, value, removed) in [
      ("note", "the one", "removed the notes of"), ("rate", "4.5", "removed the rating of"),
      ("tag", "spring", "removed the tags of"),
    ] {
      for words in [["--remove"], []] {
        #expect(await run("shows", command, Self.show, value).status == 0)
        let both = await run("shows", command, Self.show, value, "--remove")
        #expect(both.status == 64 && both.errors.contains("leave the value out"), "\(both)")
        let outcome = await InProcess.run(
          ["shows", command, Self.show] + words + ["--catalog", archive.path])
        #expect(outcome.status == 0 && outcome.output.contains(removed), "\(outcome)")
        #expect(outcome.errors.contains("say --remove") == words.isEmpty, "\(outcome)")
      }
    }
  }
}
