import CatalogTestSupport
import Foundation

/// nginx on a free port of this machine, serving a folder: `Tools/serve-folder`.
package final class FolderServer: Sendable {
  package let folder: String
  package let address: String
  private let scratch: ScratchFolder
  private let process: Process
  /// The script ends with its standard input.
  private let input = Pipe()

  /// - Parameters:
  ///   - rate: bytes a second and connection, as nginx writes it; nil for all that goes.
  ///   - certificate: in PEM, with `key.pem` beside it: https alone is served then.
  package init(rate: String? = nil, certificate: String? = nil) throws {
    scratch = try ScratchFolder()
    folder = scratch.file("served")
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false)
    process = Process()
    process.executableURL = URL(filePath: "\(ScratchFolder.repository)/Tools/serve-folder")
    process.arguments = [folder, rate ?? "0"] + (certificate.map { [$0] } ?? [])
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = input
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    guard let port = UInt16(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      try input.fileHandleForWriting.close()
      throw CocoaError(.executableLoad)
    }
    address = "\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)"
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
