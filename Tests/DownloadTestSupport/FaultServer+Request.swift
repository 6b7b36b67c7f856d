extension FaultServer {
  /// The head of a request. Bodies are not read: the clients under test send GETs.
  package struct Request: Sendable {
    package var method: String
    /// As sent: path and query.
    package var target: String
    /// As sent, in order.
    package var headers: [Header]
    /// Which connection it came on, counted from 0 in the order in which they were accepted.
    package var connection: Int
    /// Which request on its connection it is, from 0.
    package var indexOnConnection: Int
    /// Which request of the server it is, from 0.
    package var index: Int

    package struct Header: Hashable, Sendable {
      package var name: String
      package var value: String
    }

    /// The values of a header, whatever the case of its name, joined with a comma.
    package subscript(header name: String) -> String? {
      let values = headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    package var path: String { String(target.prefix { $0 != "?" }) }
    package var range: String? { self[header: "Range"] }
    package var ifRange: String? { self[header: "If-Range"] }
    package var acceptEncoding: String? { self[header: "Accept-Encoding"] }
  }
}

extension FaultServer.Request {
  /// - Returns: nil if the bytes before the empty line are no head of a request.
  init?(head: [UInt8], connection: Int, indexOnConnection: Int) {
    let text = String(decoding: head, as: UTF8.self)
    var lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)[...]
    guard let first = lines.popFirst() else { return nil }
    let parts = first.split(separator: " ")
    guard parts.count == 3, parts[2].hasPrefix("HTTP/1.") else { return nil }
    method = String(parts[0])
    target = String(parts[1])
    headers = []
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers.append(Header(name: String(line[..<colon]), value: String(value)))
    }
    self.connection = connection
    self.indexOnConnection = indexOnConnection
    index = 0
  }
}
