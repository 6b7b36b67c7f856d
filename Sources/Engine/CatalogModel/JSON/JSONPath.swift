/// Finds the JSON path of an offset after the fact.
///
/// Readers keep no path while they read; the one document that fails is walked once more up to the
/// offset. Works on broken JSON too, as far as its brackets and quotes tell.
package enum JSONPath {
  private enum Step {
    case element(Int)
    case member(Range<Int>?)
  }

  /// `$.packs[3].items[12].title` for the value or key at `offset`; `$` is the whole document.
  package static func text(at offset: Int, in raw: UnsafeRawBufferPointer) -> String {
    let bytes = raw.bindMemory(to: UInt8.self)
    let target = min(offset, bytes.count)
    var steps: [Step] = []
    var isKeyNext = false
    var position = 0
    while position < target {
      switch bytes[position] {
      case UInt8(ascii: "{"):
        steps.append(.member(nil))
        isKeyNext = true
      case UInt8(ascii: "["):
        steps.append(.element(0))
        isKeyNext = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = steps.popLast()
        isKeyNext = false
      case UInt8(ascii: ","):
        switch steps.last {
        case .element(let index): steps[steps.count - 1] = .element(index + 1)
        case .member:
          steps[steps.count - 1] = .member(nil)
          isKeyNext = true
        case nil: break
        }
      case UInt8(ascii: "\""):
        let end = stringEnd(in: bytes, from: position)
        if isKeyNext, !steps.isEmpty {
          steps[steps.count - 1] = .member(position + 1..<max(position + 1, end - 1))
          isKeyNext = false
        }
        position = end - 1
      default: break
      }
      position += 1
    }
    if position == target, isKeyNext, target < bytes.count, bytes[target] == UInt8(ascii: "\""),
      !steps.isEmpty
    {
      let end = stringEnd(in: bytes, from: target)
      steps[steps.count - 1] = .member(target + 1..<max(target + 1, end - 1))
    }
    return steps.reduce(into: "$") { $0 += component($1, in: bytes) }
  }

  /// The offset behind the closing quote of the string that starts at `start`.
  static func stringEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var position = start + 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(position + 1, bytes.count)
  }

  private static func component(_ step: Step, in bytes: UnsafeBufferPointer<UInt8>) -> String {
    switch step {
    case .element(let index): return "[\(index)]"
    case .member(nil): return ""
    case .member(let range?):
      let key = bytes[range]
      let isPlain = !key.isEmpty && key.count <= JSONExcerpt.limit && key.allSatisfy(isNameByte)
      if isPlain { return "." + String(decoding: key, as: UTF8.self) }
      return "[\"" + JSONExcerpt.printable(key) + "\"]"
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_")
  }
}

/// Line and column of an offset, both from 1; the column counts bytes.
struct JSONPosition {
  let line: Int
  let column: Int

  init(offset: Int, in bytes: UnsafeRawBufferPointer) {
    var line = 1
    var lineStart = 0
    for index in 0..<min(offset, bytes.count) where bytes[index] == UInt8(ascii: "\n") {
      line += 1
      lineStart = index + 1
    }
    self.line = line
    self.column = offset - lineStart + 1
  }
}
