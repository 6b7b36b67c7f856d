/// Markup. Text gets into it by interpolation, and never unescaped: only literals of the source, and markup that was made this
/// way, are used as they are.
struct HTML: ExpressibleByStringInterpolation, Sendable {
  private(set) var text: String

  init(stringLiteral literal: String) {
    text = literal
  }

  init(stringInterpolation interpolation: StringInterpolation) {
    text = interpolation.text
  }

  private init(_ text: String) {
    self.text = text
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: String) {
      text += literal
    }

    mutating func appendInterpolation(_ value: some StringProtocol) {
      text += HTML.escaped(value)
    }

    mutating func appendInterpolation(_ number: some BinaryInteger) {
      text += String(number)
    }

    mutating func appendInterpolation(_ markup: HTML) {
      text += markup.text
    }

    /// One piece of markup a line.
    mutating func appendInterpolation(_ pieces: [HTML]) {
      for (index, piece) in pieces.enumerated() {
        if index > 0 { text += "\n" }
        text += piece.text
      }
    }
  }

  /// A whole page.
  ///
  /// - Parameters:
  ///   - skip: the words of a link to the element `main`.
  ///   - end: markup after all content.
  static func page(
    _ title: String, head: HTML, skip: String, _ body: HTML, end: HTML = ""
  ) -> HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title)</title>
    \(head)
    </head>
    <body class="inspector">
    <a class="skip" href="#main">\(skip)</a>
    \(body)
    <div id="sorted" class="unseen" role="status"></div>
    \(end)
    </body>
    </html>

    """
  }

  /// The one way for text into markup: between tags, and in attributes within double quotes.
  ///
  /// A character that would be invisible, or would turn around the text beside it, is shown as `\u{202e}`.
  private static func escaped(
    _ text: some StringProtocol,
    hidden: (Unicode.Scalar) -> String = { "\\u{\(String($0.value, radix: 16))}" }
  ) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case _ where isHidden(scalar): escaped += hidden(scalar)
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Text that comes back from a form, or is copied: the value of an attribute in double quotes, or the text of a field. A
  /// browser gives it back as it is, whatever is invisible in it.
  static func field(_ text: String) -> HTML {
    HTML(escaped(text) { "&#\($0.value);" })
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Controls, and what breaks a line.
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
    // What steers the direction of text.
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    // What has no width and joins nothing.
    case 0xAD, 0x200B, 0x2060, 0xFEFF: true
    // No characters at all.
    case 0xFDD0...0xFDEF: true
    default: scalar.value & 0xFFFE == 0xFFFE
    }
  }
}
