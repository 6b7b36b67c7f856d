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
    switch options.format {
    case .text:
      for segment in sealed {
        console.write(
          "\(segment.name)  \(Count.bytes(segment.storedBefore)) → "
            + Count.bytes(segment.storedAfter))
      }
      if sealed.isEmpty { console.write("everything is already sealed") }
    case .json:
      try console.write(
        json: sealed.map {
          SealedJSON(
            name: $0.name, storedBytesBefore: Int($0.storedBefore),
            storedBytesAfter: Int($0.storedAfter))
        })
    }
  }
}

private struct SealedJSON: Encodable {
  let name: String
  let storedBytesBefore: Int
  let storedBytesAfter: Int
}
