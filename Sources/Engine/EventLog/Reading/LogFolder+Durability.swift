extension LogFolder {
  /// Makes a new file, fills it and makes it durable.
  ///
  /// Where that fails the file is taken away again: on a full disk its bytes are what others need.
  func create(_ path: String, _ fill: (LogFile) throws -> Void) throws -> LogFile {
    let file = try LogFile(path, .create, calls)
    do {
      try fill(file)
      try file.sync()
    } catch {
      discard(path)
      throw error
    }
    return file
  }

  /// Takes away a file that could not be finished.
  ///
  /// Where that fails too it stays, as a leftover under a name that no reader looks at: the failure
  /// that came first is the one to tell of.
  func discard(_ path: String) {
    try? calls.unlink(path)
  }

  /// Makes room for a new file where one that failed was left.
  func removeLeftover(_ path: String) throws {
    if try names()?.contains(Self.fileName(path)) == true { try remove(path) }
  }

  /// Makes the name of the folder itself durable.
  func syncParent() throws {
    let trimmed = path.hasSuffix("/") ? path.dropLast() : path[...]
    let parent = trimmed.lastIndex(of: "/").map { trimmed[..<$0] }
    let place = parent.map { $0.isEmpty ? "/" : String($0) } ?? "."
    try EventLogError.doing("sync", place) { try calls.syncDirectory(place) }
  }

  /// Gives a durable file its name, which must be free, and makes the name durable.
  func publish(_ temporary: String, as path: String) throws {
    try EventLogError.doing("create", path) { try calls.link(temporary, to: path) }
    try remove(temporary)
    try syncNames()
  }

  /// Puts a durable file in the place of another at once, and makes that durable.
  func replace(_ path: String, with temporary: String) throws {
    try EventLogError.doing("replace", path) { try calls.rename(temporary, to: path) }
    try syncNames()
  }

  func remove(_ path: String) throws {
    try EventLogError.doing("remove", path) { try calls.unlink(path) }
  }

  /// Cuts a torn tail off a segment, with its bytes kept aside first.
  func cutOff(_ torn: TornTail, from file: LogFile) throws -> TornTail {
    var torn = torn
    let base = "\(torn.file).torn-\(torn.offset)"
    let taken = Set(try names() ?? [])
    var kept = base
    var number = 1
    while taken.contains(Self.fileName(kept)) {
      number += 1
      kept = "\(base)-\(number)"
    }
    _ = try create(kept) { copy in
      var done: UInt64 = 0
      while done < torn.length {
        let bytes = try file.read(
          Int(min(1 << 20, torn.length - done)), at: torn.offset + done)
        guard !bytes.isEmpty else { break }
        try copy.write(bytes, at: done)
        done += UInt64(bytes.count)
      }
    }
    try syncNames()
    try file.truncate(to: torn.offset)
    try file.sync()
    torn.keptAt = kept
    return torn
  }

  /// Makes the names in the folder durable.
  func syncNames() throws {
    try EventLogError.doing("sync", path) { try calls.syncDirectory(path) }
  }
}
