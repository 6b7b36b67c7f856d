import LibC
import Support

/// The process that has the lock of a folder, as Linux lists it (proc_locks(5)).
struct LockHolder {
  /// `process 4711 (catalogctl)`
  let words: String

  /// Nil if the system does not say: it has no such list, or the process is of another container.
  init?(of folder: LogFile) {
    guard let status = try? folder.status(), let list = Self.text("/proc/locks") else { return nil }
    // `1: FLOCK  ADVISORY  WRITE 4711 08:01:5678 0 EOF`; a process that waits has an arrow before FLOCK.
    let holders = list.split(separator: "\n").compactMap {
      line -> (process: Int, place: Substring)? in
      let words = line.split(separator: " ")
      guard words.count > 5, words[1] == "FLOCK", let process = Int(words[4]), process > 0,
        words[5].hasSuffix(":\(status.inode)")
      else { return nil }
      return (process, words[5])
    }
    let device = Self.device(status.device)
    // A folder of some file systems has another device there than it has for stat(2).
    let own =
      holders.first { $0.place.hasPrefix(device) } ?? (holders.count == 1 ? holders[0] : nil)
    guard let own else { return nil }
    let program = Self.text("/proc/\(own.process)/cmdline")?.split(separator: "\0").first
      .map { LogFolder.fileName(String($0)) }
    words = "process \(own.process)" + (program.map { " (\($0))" } ?? "")
  }

  /// A device as the list has it: `08:01:`.
  private static func device(_ number: UInt64) -> String {
    func hex(_ part: UInt64) -> String {
      let digits = String(part, radix: 16)
      return digits.utf8.count < 2 ? "0" + digits : digits
    }
    let major = number >> 8 & 0xfff | number >> 32 & ~0xfff
    let minor = number & 0xff | number >> 12 & ~0xff
    return "\(hex(major)):\(hex(minor & 0xffff_ffff)):"
  }

  private static func text(_ path: String) -> String? {
    guard let file = try? LogFile(path, .read, RealFileCalls()),
      let bytes = try? file.read(1 << 20, at: 0)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
