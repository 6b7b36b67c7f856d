import CatalogModel
import LibC
import Projections

/// Reads a document that is one JSON value into the rows of its tables.
struct JSONDocument {
  private let reader: TableDocumentReader
  private let source: SourceFile

  init(_ reader: TableDocumentReader, _ source: SourceFile) {
    self.reader = reader
    self.source = source
  }

  func read() throws(DocumentError) -> TableDocument {
    let (bytes, sha256) = try source.plainBytes()
    let shape = try JSONShape(reader, file: source.name)
    var document = TableDocument(
      source: source.name, size: source.size, sha256: sha256, modified: source.modified,
      format: "JSON", tables: shape.targets.map(\.rows), isComplete: reader.isComplete,
      scope: shape.targets.isEmpty
        ? [] : try reader.scope(of: shape.targets[0].rows.table, file: source.name))
    let result = bytes.withUnsafeBytes { bytes -> Result<JSONWalk.Findings, DocumentError> in
      Result { () throws(DocumentError) in try walk(bytes, shape) }
    }
    let findings = try result.get()
    findings.describe(in: &document, shape)
    return document
  }

  private func walk(
    _ bytes: UnsafeRawBufferPointer, _ shape: JSONShape
  ) throws(DocumentError) -> JSONWalk.Findings {
    let mark = TextEncoding.mark(bytes)
    let start = mark?.encoding == .utf8 ? 3 : 0
    let text = UnsafeRawBufferPointer(rebasing: bytes[start...])
    let faults = FaultBox()
    var findings = JSONWalk.Findings(shape)
    do throws(JSONError) {
      let json = JSONReader(text)
      faults.faults = try json.repeatedKeys()
      var walk = JSONWalk(
        shape, reader, json,
        placeText: { "the one of \(JSONPath.text(at: $0, in: text))" },
        fault: { faults.faults.add($0) })
      try walk.walk(JSONShape.root, &findings)
    } catch {
      throw DocumentError(error, in: text, file: source.name)
    }
    for fault in findings.faults(shape, at: 0) { faults.faults.add(fault) }
    if faults.faults.count > 0 {
      throw DocumentError(faults.faults, in: text, file: source.name)
    }
    return findings
  }

  /// The faults of a walk, which several closures add.
  private final class FaultBox {
    var faults = DocumentFaults()
  }
}

extension JSONWalk.Findings {
  /// Faults of the document as a whole: a path that leads nowhere, and a count that is another one.
  func faults(_ shape: JSONShape, at start: Int) -> [JSONError] {
    var faults: [JSONError] = []
    var named: Set<String> = []
    for target in shape.targets where target.rows.count == 0 {
      guard let lost = firstLost(on: target.path, shape), named.insert(lost).inserted else {
        continue
      }
      faults.append(
        JSONError(
          .missingKey, at: start, showsValue: false,
          "the document has no \(lost), where the rows of \(target.rows.table.name) should be",
          advice: "check that it is the right document, or correct the path in the description"))
    }
    if let node = shape.count, let first = shape.targets.first {
      let count = Int64(first.rows.count)
      if let stated {
        if stated.count != count {
          faults.append(
            JSONError(
              .invalidValue, at: stated.offset,
              "is not the number of rows: the document has \(count)",
              advice: "it may have been cut short: fetch it again"))
        }
      } else {
        faults.append(
          JSONError(
            .missingKey, at: start, showsValue: false,
            "the document has no \(shape.nodes[node].text), which should be the number of its rows",
            advice: "check that it is the right document"))
      }
    }
    return faults
  }

  /// The first part of a path that no document of this shape may lack, and this one does.
  private func firstLost(on path: RowsPath, _ shape: JSONShape) -> String? {
    var node = JSONShape.root
    for step in path.steps {
      guard case .member(let name) = step,
        let next = shape.nodes[node].members.first(where: { $0.name == name })
      else { return nil }
      if visits[next.node] == 0 { return shape.nodes[next.node].text }
      node = next.node
    }
    return nil
  }

  /// Adds to the facts of a document what was found out about it.
  func describe(in document: inout TableDocument, _ shape: JSONShape) {
    document.passedOver = passedOver
    document.setAside += setAside
    if keptTwice > 0 {
      document.notes.append(TableInference.passedOver(keptTwice, of: document.source))
    }
    for (number, target) in shape.targets.enumerated() where target.rows.count > 0 {
      for (place, count) in filled[number].enumerated() where count == 0 {
        guard case .member(let name) = target.sources[place] else { continue }
        document.notes.append(
          "no row of \(target.rows.table.name) in \(document.source) has \"\(name)\"")
      }
    }
  }
}

/// Reads a document that has a JSON value on each line.
struct JSONLinesDocument {
  private let reader: TableDocumentReader
  private let source: SourceFile

  init(_ reader: TableDocumentReader, _ source: SourceFile) {
    self.reader = reader
    self.source = source
  }

  func read() throws(DocumentError) -> TableDocument {
    let shape = try JSONShape(reader, file: source.name)
    guard let each = shape.nodes[JSONShape.root].eachElement else {
      throw DocumentError(
        code: .unsupportedFormat, file: source.name,
        message: "no path begins with [], and each line is an element",
        advice: "write the path of the rows like [] or [].tags[]")
    }
    let window = try TextWindow(source, encoding: nil)
    var document = TableDocument(
      source: source.name, size: source.size, sha256: "", modified: source.modified,
      format: "JSON Lines", tables: shape.targets.map(\.rows), isComplete: reader.isComplete,
      scope: try reader.scope(of: shape.targets[0].rows.table, file: source.name),
      endsWithLineEnd: true)
    var findings = JSONWalk.Findings(shape)
    var faults = TableFaults()
    var line = 0
    var place = 0
    while let length = try Self.nextLine(window) {
      line += 1
      let bytes = UnsafeRawBufferPointer(rebasing: window.bytes[..<length])
      let isLast = window.isAtEnd && length == window.bytes.count
      if isLast { document.endsWithLineEnd = false }
      defer { window.consume(min(length + 1, window.bytes.count)) }
      if bytes.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
      var own: [JSONError] = []
      do throws(JSONError) {
        let json = JSONReader(bytes)
        own += try json.repeatedKeys().first
        var walk = JSONWalk(
          shape, reader, json, line: line,
          placeText: { "on line \($0)" }, fault: { own.append($0) })
        try walk.walk(each, place: place, &findings)
      } catch {
        own.append(error)
      }
      for error in own {
        faults.add {
          var fault = DocumentError(error, in: bytes, file: source.name)
          fault.path = "line \(line)" + (fault.path.map { $0 == "$" ? "" : ", \($0)" } ?? "")
          fault.offset = fault.offset.map { $0 + window.offset }
          fault.line = line
          if isLast, error.code == .invalidJSON {
            fault.advice = "the document may have been cut short: fetch it again"
          }
          return fault
        }
      }
      place += 1
    }
    document.sha256 = window.sha256
    if document.endsWithLineEnd == false, reader.request.expectsLineEnd {
      faults.add {
        DocumentError(
          code: .invalidValue, file: source.name, path: "line \(line)",
          message: "the document ends without a line end, which it had before",
          advice: "it may have been cut short: fetch it again; \(reader.request.words.unterminated)"
        )
      }
    }
    if let error = faults.error { throw error }
    findings.describe(in: &document, shape)
    return document
  }

  /// The length of the window's first line, without its line end; nil at the end of the document.
  private static func nextLine(_ window: TextWindow) throws(DocumentError) -> Int? {
    var searched = 0
    while true {
      let bytes = window.bytes
      if let base = bytes.baseAddress, bytes.count > searched,
        let found = memchr(base + searched, 0x0A, bytes.count - searched)
      {
        return UnsafeRawPointer(found) - base
      }
      searched = bytes.count
      guard try window.more() else { return bytes.isEmpty ? nil : bytes.count }
    }
  }
}
