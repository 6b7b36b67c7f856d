import LibC
import Support

/// Which file a path led to, to notice that it leads to another one, or to none.
///
/// SQLite goes on with a file that was deleted under it: reads would be old for ever, and what is written
/// would be lost.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  init?(_ path: String) {
    var info = stat()
    guard stat(path, &info) == 0 else { return nil }
    device = UInt64(info.st_dev)
    inode = UInt64(info.st_ino)
  }

  /// - Throws: `StoreError` with `replaced` if the path does not lead there any more.
  func require(at path: String) throws {
    guard FileIdentity(path) == self else {
      throw StoreError(
        .replaced,
        "\(path) was deleted or replaced while it was open; open the catalog again")
    }
  }
}
