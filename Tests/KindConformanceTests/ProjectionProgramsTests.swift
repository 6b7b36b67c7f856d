import CatalogEngine
import CatalogTestSupport
import Foundation
import NotesKind
import Promises
import Testing

/// `projection diff` between real programs: the same one in other surroundings, and one with another projector.
@Suite(
  .promise(
    "A change of a projector is named with table, column and types of events",
    by: "real programs with other locales and hash seeds; the old one never meets the catalog"))
struct ProjectionProgramsTests {
  @Test(
    arguments: Sample.of(
      [
        "SWIFT_DETERMINISTIC_HASHING=1 LC_ALL=C TZ=UTC",
        "LC_ALL=tr_TR.UTF-8 TZ=Asia/Kathmandu", "LC_ALL=de_DE.UTF-8",
      ], "surroundings", isDear: true))
  func inOtherSurroundingsAProgramMakesTheSame(environment: String) async throws {
    let trial = try await NotesTrial()
    let old = try trial.program(
      "\(environment) exec '\(NotesTrial.notesctl)' \"$@\"")
    for (name, value) in [("SWIFT_DETERMINISTIC_HASHING", "1"), ("LC_ALL", "C.UTF-8")] {
      let outcome = try trial.diff(old, environment: [name: value])
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output == "both programs make the same rows after event 5\n")
    }
  }

  /// A projector that depends on hash seeds differs from itself in another process.
  @Test func aProjectorOfAnotherProgramIsNamed() async throws {
    let trial = try await NotesTrial()
    let before = try trial.contents()
    let old = try NotesTrial.program(.hashOrder, in: trial.folder)
    let outcome = try trial.diff(old)
    #expect(outcome.status == 2)
    #expect(
      outcome.output.hasPrefix("note.mark: 3 rows have other values: note.written 3\n"),
      "\(outcome)")
    #expect(outcome.output.contains("\n  number=1: '"))
    #expect(outcome.output.hasSuffix("\n1 difference after event 5\n"))
    let allowed = try trial.diff(old, "--allow", "note.mark", "--format", "github")
    #expect(allowed.status == 0)
    #expect(
      allowed.output.hasPrefix("::notice title=Projection note.mark::3 rows have other values"))
    let failing = try trial.diff(old, "--format", "github").output
    #expect(
      failing.hasPrefix(
        "::error title=Projection note.mark::3 rows have other values: note.written 3"),
      "\(failing)")
    #expect(try trial.contents() == before, "a file of the catalog changed")
  }

  @Test func aProgramThatFailsSaysWhy() async throws {
    let trial = try await NotesTrial()
    let failing = try trial.diff(try trial.program("echo 'no such thing' >&2; exit 7"))
    #expect(failing.status == 1)
    #expect(
      failing.errors.contains("rebuild --out failed (exit status 7): no such thing"), "\(failing)")
    let silent = try trial.diff(try trial.program("exit 0"))
    #expect(silent.status == 1 && silent.errors.contains("failed (exit status 0)"), "\(silent)")
    let slow = try trial.diff(try trial.program("sleep 60 & wait"), "--timeout", "1")
    #expect(slow.status == 1 && slow.errors.contains("took longer than 1 second and"), "\(slow)")
  }

  /// The old program has a folder with the events alone, whatever it does there.
  @Test func theOldProgramNeverMeetsTheCatalog() async throws {
    let trial = try await NotesTrial()
    let before = try trial.contents()
    let old = try trial.program(
      """
      '\(NotesTrial.notesctl)' "$@" && rm -rf "$3" && echo "$CATALOG_HOME"
      """)
    let outcome = try trial.diff(old)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try trial.contents() == before)
  }
}

/// A catalog of notes, with a database at the head.
struct NotesTrial {
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  static let notesctl = BuiltProgram.besideTests("notesctl")

  /// The program with a vice.
  static func program(_ vice: Notes.Vice, in folder: ScratchFolder) throws -> String {
    let path = folder.file("notesctl-\(vice.rawValue)")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: notesctl)
    return path
  }

  let folder: ScratchFolder
  private var catalog: String { folder.file("catalog") }

  init() async throws {
    folder = try ScratchFolder()
    let catalog = try await EventCatalog.open(
      CatalogDirectory(folder.file("catalog")), Notes(vice: .none))
    try await catalog.create(by: "test")
    for notes in [[1], [2, 3], [1]] {
      try await catalog.change(by: "test") { _ in
        notes.map { NoteWritten(number: $0, text: "note \($0)") }
      }
    }
    catalog.close()
  }

  func program(_ script: String) throws -> String {
    let text = try folder.write("#!/bin/bash\n\(script)\n", to: "old-\(UUID()).txt")
    let path = folder.file("old-\(UUID()).sh")
    // Another process writes it: one that this process starts meanwhile would inherit the open file, and until it closes it
    // the script could not be run ("text file busy").
    let made = try Program("install", "-m", "755", text, path)
    try #require(made.status == 0)
    return path
  }

  func contents() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: catalog)
    where !name.hasSuffix("-shm") {
      files[name] = FileManager.default.contents(atPath: "\(catalog)/\(name)")
    }
    return files
  }

  func diff(
    _ old: String, _ more: String..., environment: [String: String] = [:]
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(filePath: Self.notesctl)
    process.arguments = ["projection", "diff", old, "--catalog", catalog] + more
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors) = (folder.file("out-\(UUID())"), folder.file("err-\(UUID())"))
    for path in [output, errors] { try Data().write(to: URL(filePath: path)) }
    let handles = try [output, errors].map { try FileHandle(forWritingTo: URL(filePath: $0)) }
    defer { for handle in handles { try? handle.close() } }
    (process.standardOutput, process.standardError) = (handles[0], handles[1])
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    func text(_ path: String) throws -> String {
      String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
    return Outcome(
      status: process.terminationStatus, output: try text(output), errors: try text(errors))
  }
}
