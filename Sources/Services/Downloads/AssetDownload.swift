package import CatalogModel

/// What to download, and what it must be.
package struct AssetRequest: Hashable, Sendable {
  package var id: EntityID
  package var address: DownloadAddress
  package var bytes: Int64
  /// 64 lower-case hex digits; nil if the manifest has none.
  package var sha256: String?
  /// Of the whole file in the staging folder.
  package var fileName: String

  package init(
    id: EntityID, address: DownloadAddress, bytes: Int64, sha256: String?, fileName: String
  ) {
    self.id = id
    self.address = address
    self.bytes = bytes
    self.sha256 = sha256
    self.fileName = fileName
  }
}

/// A whole file in the staging folder, whose bytes were hashed.
package struct StagedAsset: Hashable, Sendable {
  package var sha256: String
  /// The server's strong tag for it, where it gave one.
  package var tag: String?

  package init(sha256: String, tag: String? = nil) {
    self.sha256 = sha256
    self.tag = tag
  }
}

/// Brings one asset into a folder: ranges, retries, limits and the hash, for any transport.
///
/// What is there of it is used. It lies under its file name when it is whole and has the hash of the
/// manifest, never before.
package struct AssetDownload: Sendable {
  private let asset: AssetRequest
  /// The asset's place in the meter.
  private let index: Int
  private let folder: FolderHandle
  private let opening: ResourceOpening
  private let policy: DownloadPolicy
  private let meter: ByteMeter

  /// The address as errors name it.
  private var place: String { asset.address.withoutQuery }

  package init(
    _ asset: AssetRequest, index: Int, into folder: FolderHandle,
    transport: any DownloadTransport, policy: DownloadPolicy, meter: ByteMeter
  ) {
    self.asset = asset
    self.index = index
    self.folder = folder
    self.policy = policy
    self.meter = meter
    opening = ResourceOpening(transport: transport, policy: policy)
  }

  /// How many bytes of an asset a download would go on from.
  package static func bytesThere(
    of fileName: String, in folder: FolderHandle, limit: Int64
  ) -> Int64 {
    let bytes = StagedPart.trustedBytes(of: fileName, in: folder)
    return bytes > limit ? 0 : bytes
  }

  /// - Throws: `DownloadFailure`; `CancellationError`, and then the part is kept and durable.
  package func run() async throws -> StagedAsset {
    let part = StagedPart(asset.fileName, in: folder, policy: policy)
    do {
      try await part.open(limit: asset.bytes)
      if await mayNotGoOn(part) { try await part.startOver() }
      meter.set(await part.offset, of: index)
      return try await fetch(part)
    } catch let failure as DownloadFailure {
      // What is durable may be resumed, whatever failed. On a full volume the rest makes room for the
      // log, which has to tell.
      if failure.code == .noSpace {
        try? await part.cutToDurable()
      } else {
        try? await part.checkpoint()
      }
      throw failure.of("asset \(asset.id)")
    } catch {
      try? await part.checkpoint()
      throw error
    }
  }

  /// Without a hash nothing but a server that knows a strong tag can tell that the rest belongs to what is
  /// there; and if there is no rest, nobody is asked.
  private func mayNotGoOn(_ part: StagedPart) async -> Bool {
    guard asset.sha256 == nil else { return false }
    let offset = await part.offset
    let tag = await part.tag
    return offset > 0 && (tag == nil || offset == asset.bytes)
  }

  private func fetch(_ part: StagedPart) async throws -> StagedAsset {
    var retryBudget = RetryBudget(policy)
    while true {
      try Task.checkCancellation()
      let before = await part.offset
      do {
        if before < asset.bytes { try await attempt(part, &retryBudget) }
        if await part.offset == asset.bytes {
          let tag = await part.tag?.text
          return StagedAsset(sha256: try await verify(part), tag: tag)
        }
        // A range that was shorter than asked for: the rest is asked for at once.
        guard await part.offset > before else {
          throw AttemptFailure.again("the server sent nothing (\(place))")
        }
      } catch let failure as AttemptFailure {
        let pause = try retryBudget.pause(
          after: failure, progress: await part.offset - before)
        if case .startOver = failure {
          try await part.startOver()
          meter.set(0, of: index)
        } else {
          try await part.checkpoint()
        }
        if pause > .zero { try await Task.sleep(for: pause) }
      }
    }
  }

  /// - Returns: the SHA-256 of the file, which has its name now.
  private func verify(_ part: StagedPart) async throws -> String {
    let digest = await part.digest
    guard digest == asset.sha256 ?? digest else {
      throw AttemptFailure.startOver(
        .wrongHash, "SHA-256 is \(digest), the manifest says \(asset.sha256 ?? "") (\(place))")
    }
    try await part.finish()
    return digest
  }

  /// One request, and what comes of it.
  private func attempt(_ part: StagedPart, _ retryBudget: inout RetryBudget) async throws {
    if await mayNotGoOn(part) {
      try await part.startOver()
      meter.set(0, of: index)
    }
    let offset = await part.offset
    let tag = await part.tag
    var headers = [TransportRequest.Header("Accept-Encoding", "identity")]
    if offset > 0 {
      headers.append(.init("Range", "bytes=\(offset)-"))
      if let tag { headers.append(.init("If-Range", tag.text)) }
    }
    let opened = try await opening.open(asset.address, headers: headers)
    let question = ResponseVerdict.Question(
      offset: offset, bytes: asset.bytes, tag: tag, isRedirected: opened.isRedirected, place: place)
    switch try ResponseVerdict(opened.response, to: question) {
    case .replace:
      // The server does not know ranges, or the file changed: its body is the whole file. It is used, but
      // what was there is lost, which counts as any other start over does.
      try retryBudget.count(
        .init(cause: .changed, reason: "the server sent the whole file, not the rest (\(place))"))
      try await part.startOver()
      meter.set(0, of: index)
      try await part.begin(tag: StrongEntityTag(opened.response[header: "ETag"]))
      try await take(opened.response.body, until: asset.bytes, into: part)
    case .append(let end):
      let new = StrongEntityTag(opened.response[header: "ETag"])
      try await part.begin(tag: offset == 0 ? new : tag ?? new)
      try await take(opened.response.body, until: end, into: part)
    }
  }

  /// Writes a body behind what is there.
  private func take(
    _ body: TransportResponse.Body, until end: Int64, into part: StagedPart
  ) async throws {
    let start = await part.offset
    do {
      try await withStallWatch(policy) { watch in
        for try await chunk in body {
          watch.add(chunk.count)
          meter.receive(Int64(chunk.count))
          let room = end - (await part.offset)
          guard chunk.count <= room else { throw excess(end) }
          try await part.append(chunk[...])
          meter.set(await part.offset, of: index)
        }
      }
    } catch is TransferStalled {
      throw AttemptFailure.again(
        "the server sent less than \(policy.stallRate) bytes a second for \(policy.stallWindow) "
          + "(\(place))")
    } catch let failure as TransportFailure {
      throw AttemptFailure.again("\(failure) (\(place))")
    }
    let now = await part.offset
    if now < end {
      if now == 0 {
        throw AttemptFailure.startOver(.empty, "the server sent nothing (\(place))")
      }
      throw AttemptFailure.again(
        "the server sent \(now - start) of \(end - start) bytes (\(place))")
    }
  }

  /// More came than was declared.
  private func excess(_ end: Int64) -> AttemptFailure {
    if end < asset.bytes {
      return .startOver(.changed, "the server sent more than the range it named (\(place))")
    }
    return .failed(
      DownloadFailure(
        .unexpectedContent,
        "the server sends more than the \(asset.bytes) bytes of the manifest (\(place))",
        isResumable: false))
  }
}
