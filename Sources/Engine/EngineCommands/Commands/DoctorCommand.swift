import ArgumentParser
import CatalogEngine
import CatalogModel
import Projections

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Look at the log, the database and the files beside them, and tell what to do.",
    discussion: """
      The one command to run when something is wrong. Reads all of the log and all rows, and changes nothing. \
      The rows are compared with the running digests that every change keeps up, tables, indexes and triggers with \
      those that the projector makes, and full-text indexes are asked for some of their words; `verify` compares all \
      of it with replays of the log. Exit status 2 where there is \
      anything to mend, 3 where the log is damaged or lacks events that the database has applied.
      """.examples(
        "\(ProgramName.current) doctor",
        "\(ProgramName.current) doctor --hash"))

  @OptionGroup var options: CatalogOptions

  @Flag(
    name: .long,
    help: "Read every file that the catalog keeps and compare its SHA-256, not its length alone.")
  var hash = false

  func run() async throws {
    let console = Console.current
    let progress = ProgressPrinter(console)
    let directory = try options.directory
    let kind = try KnownKinds.current.kind(of: directory)
    let doctor = CatalogDoctor(directory, of: kind, progress: progress.observer)
    let isHashing = hash
    let findings = try await Blocking.run { try doctor.findings(hashing: isHashing) }
    progress.finish()
    switch options.format {
    case .text:
      for finding in findings {
        let place = finding.path ?? finding.packID ?? ""
        console.write("\(finding.problem.rawValue)  \(place): \(finding.message)")
        console.write("  \(finding.remedy)")
      }
      let notes = findings.count(where: \.isNote)
      console.error(
        Count.of(findings.count - notes, "finding")
          + (notes > 0 ? ", \(Count.of(notes, "note"))" : ""))
    case .json: try console.write(json: findings.map(FindingJSON.init))
    }
    if findings.contains(where: \.isDamage) { throw Exit(status: .damaged) }
    if !findings.allSatisfy(\.isNote) { throw Exit(status: .findings) }
  }
}

private struct FindingJSON: Encodable {
  let area: String
  let problem: String
  let packId: String?
  let path: String?
  let message: String
  let remedy: String

  init(_ finding: CatalogFinding) {
    area = finding.area.rawValue
    problem = finding.problem.rawValue
    packId = finding.packID
    path = finding.path
    message = finding.message.description
    remedy = finding.remedy.description
  }
}
