import ArgumentParser
import CatalogModel
import Foundation
import LibC

/// A statement in SQL, from the command line, a file or standard input.
struct SQLSource {
  private let argument: String?
  private let file: String?

  /// The longest statement that SQLite takes.
  private static let longest = 1_000_000_000

  init(_ argument: String?, file: String?) {
    (self.argument, self.file) = (argument, file)
  }

  /// Reads the statement.
  ///
  /// - Throws: `ValidationError` if there is none, or if it is a command of another program.
  func text() throws -> String {
    let text = try read()
    guard !text.allSatisfy(\.isWhitespace) else {
      throw ValidationError(
        "Missing expected argument '<sql>': name a statement, - for standard input, or --file FILE")
    }
    let word = text.drop(while: \.isWhitespace).lowercased()
    if [".tables", ".schema", ".d", "\\d", "show tables"].contains(where: { word.hasPrefix($0) }) {
      throw ValidationError(
        "this is not SQL for SQLite; `\(ProgramName.current) tables` lists tables and columns")
    }
    return text
  }

  private func read() throws -> String {
    if let file, file != "-" {
      guard let data = FileManager.default.contents(atPath: file) else {
        throw ValidationError("\(file) cannot be read; check the name and the folder")
      }
      return try Self.text(data, of: file)
    }
    if let argument, argument != "-" { return argument }
    // Without an argument, a person at a terminal would wait for an answer that never comes.
    guard argument == "-" || file == "-" || !Style.isTerminal(STDIN_FILENO),
      Console.current.isOfProcess
    else {
      return ""
    }
    return try Self.text(
      FileHandle.standardInput.read(upToCount: Self.longest) ?? Data(), of: "standard input")
  }

  private static func text(_ data: Data, of place: String) throws -> String {
    guard let text = String(validating: data, as: UTF8.self) else {
      throw ValidationError("\(place) is not UTF-8; write it in UTF-8")
    }
    return text
  }
}
