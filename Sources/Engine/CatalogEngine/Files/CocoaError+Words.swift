package import Foundation
import Support

extension CocoaError {
  /// The file, and why the system refused it. Foundation's own words are often a number of its own, and say neither.
  package var words: String {
    let place = (filePath ?? url?.path(percentEncoded: false)).map { "\($0): " } ?? ""
    return place + reason
  }

  private var reason: String {
    let cause = underlying as NSError?
    if let cause, cause.domain == NSPOSIXErrorDomain {
      return SystemError.words(for: Int32(cause.code))
    }
    if let cause = cause as? CocoaError { return cause.reason }
    if let number { return SystemError.words(for: number) }
    let words = localizedDescription
    return words.contains("error \(code.rawValue)")
      ? "the system refused it and does not say why" : words
  }

  /// The number of the system, if the code means one alone; else nil.
  private var number: Int32? {
    switch code {
    case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
    case .fileReadNoPermission, .fileWriteNoPermission: EACCES
    case .fileWriteFileExists: EEXIST
    case .fileWriteOutOfSpace: ENOSPC
    case .fileWriteVolumeReadOnly: EROFS
    default: nil
    }
  }
}
