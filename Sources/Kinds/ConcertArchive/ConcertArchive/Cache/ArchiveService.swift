import CatalogModel
public import Downloads
import Foundation

/// The archive on the web that has the recordings.
public struct ArchiveService: Sendable {
  /// Where the public archive answers.
  public static let standardAddress = "https://archive.org"

  private let address: String
  private let transport: any DownloadTransport
  private let policy: DownloadPolicy

  /// Larger answers are refused.
  private static let sizeLimit = 32 << 20

  /// - Parameters:
  ///   - address: https, or http on this machine; `/metadata/{recording}` is asked.
  ///   - transport: sends the requests: `CurlTransport`, `URLSessionTransport`, or one of your own.
  public init(
    address: String = standardAddress, transport: any DownloadTransport,
    policy: DownloadPolicy = DownloadPolicy()
  ) {
    self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
    self.transport = transport
    self.policy = policy
  }

  /// The documents of a recording.
  ///
  /// - Throws: `DownloadFailure`, `ArchiveCacheError`.
  func recording(_ recording: String) async throws -> [RecordingPart: [UInt8]] {
    let text = "\(address)/metadata/\(recording)"
    let address = try TextRules.apply(DownloadAddress.init, to: text) {
      DownloadFailure(
        .unsafeAddress, "\(text) \($0.message); \($0.advice)", isResumable: false)
    }
    let bytes = try await DocumentDownload(
      address, limit: Self.sizeLimit, transport: transport, policy: policy, wanted: "document"
    ).run()
    return try Self.parts(of: bytes, recording)
  }

  /// `{"metadata": {…}, "files": […], "reviews": […]}`; `{}` for what is not there.
  private static func parts(
    of bytes: [UInt8], _ recording: String
  ) throws -> [RecordingPart: [UInt8]] {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue.parse(bytes)
    } catch {
      throw ArchiveCacheError.unexpected(recording: recording, reason: error.message)
    }
    guard case .object(let members) = value else {
      throw ArchiveCacheError.unexpected(recording: recording, reason: "it is not an object")
    }
    if members.isEmpty { throw ArchiveCacheError.unknownRecording(recording) }
    guard let metadata = value["metadata"], case .object = metadata,
      case .array(let files)? = value["files"]
    else {
      throw ArchiveCacheError.unexpected(
        recording: recording, reason: "it has no metadata, or no files")
    }
    let reviews = if case .array(let reviews)? = value["reviews"] { reviews } else { [JSONValue]() }
    let tracks = ArchiveTrack.all(of: files).map(\.json)
    return [
      .metadata: Array(metadata.description.utf8),
      .tracks: Array(JSONValue.array(tracks).description.utf8),
      .reviews: Array(JSONValue.array(reviews).description.utf8),
    ]
  }
}
