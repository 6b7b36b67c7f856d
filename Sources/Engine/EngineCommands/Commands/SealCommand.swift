import ArgumentParser
import CatalogEngine
import CatalogModel
import EventLog

struct SealCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seal",
    abstract: "Compact the log: recompress its events in large frames.",
    discussion: """
      Events, sequences and chain hashes stay the same; the next event starts a new segment. The whole log \
      is read and checked first: if it is damaged, nothing is changed and the exit status is 3.
      """.examples(
        "\(ProgramName.current) seal --wait 10"))

  @OptionGroup var options: CatalogOptions
  @OptionGroup var waiting: WaitOptions

  func run() async throws {
    let console = Console.current
    try options.directory.requireWritable()
    _ = try options.wholeReader()
    let directory = try options.directory
    let sealed = try await options.interruptible(waiting, nothing: "the log is as it was") {
      opening, _ in
      try await Blocking.run { try OpenedCatalog.seal(directory, options: opening) }
    }
    let json = sealed.map {
      [
        "name": $0.name, "storedBytesBefore": $0.storedBefore, "storedBytesAfter": $0.storedAfter,
      ] as JSONObject
    }
    try console.write(options.format, json: json) { console in
      for segment in sealed {
        console.write(
          "\(segment.name)  \(Count.bytes(segment.storedBefore)) → "
            + Count.bytes(segment.storedAfter))
      }
      if sealed.isEmpty { console.write("everything is already sealed") }
    }
  }
}
