import CatalogModel
package import EventLog
import Foundation
import Synchronization

/// Where a command writes: standard output and standard error, or memory in tests.
public struct Console: Sendable {
  /// The console of the command that runs in this task.
  @TaskLocal public static var current = Console.standard

  private let output: @Sendable (String) -> Void
  private let errors: @Sendable (String) -> Void
  /// How progress of long work is shown on standard error.
  package enum ProgressStyle: Sendable {
    /// A bar that is drawn over and over: on a terminal.
    case bar
    /// A line every few seconds.
    case lines
    case none
  }

  package private(set) var progress: ProgressStyle
  /// Whether notes are left out: counts, which moment is shown, what was left out.
  private var isQuiet = false
  /// How JSON is written.
  package private(set) var shape = OutputShape.indented
  /// Whether the error that ends a command is an object on a line of standard error.
  private(set) var errorsAreJSON = false
  /// Whether it is that of the process, which has this one command to run.
  let isOfProcess: Bool
  private let lost = ReportedOnce()
  private let silent = ReportedOnce()
  private let coloursOutput: Bool
  private let coloursErrors: Bool
  /// Whether standard output is a terminal, which text can steer.
  private let isTerminal: Bool

  package init(
    output: @escaping @Sendable (String) -> Void, errors: @escaping @Sendable (String) -> Void,
    progress: ProgressStyle = .none, coloursOutput: Bool = false, coloursErrors: Bool = false,
    isTerminal: Bool = false, isOfProcess: Bool = false
  ) {
    self.isTerminal = isTerminal
    self.isOfProcess = isOfProcess
    self.output = output
    self.errors = errors
    self.progress = progress
    self.coloursOutput = coloursOutput
    self.coloursErrors = coloursErrors
  }

  public static let standard = Console(
    output: { write($0, to: STDOUT_FILENO) }, errors: { write($0, to: STDERR_FILENO) },
    progress: Style.isTerminal(STDERR_FILENO) ? .bar : .lines,
    coloursOutput: Style.isWanted(on: STDOUT_FILENO),
    coloursErrors: Style.isWanted(on: STDERR_FILENO),
    isTerminal: Style.isTerminal(STDOUT_FILENO), isOfProcess: true)

  /// Writes one line to standard output; what would steer a terminal, or break the line, is escaped.
  public func write(_ line: String) {
    output(TerminalControlCharacters.escaped(line) + "\n")
  }

  /// Writes one line that is set off where that is wanted.
  package func write(_ line: String, as style: Style) {
    let line = TerminalControlCharacters.escaped(line)
    output((coloursOutput ? style.applied(to: line) : line) + "\n")
  }

  /// Writes a document, whose lines end with line feeds: to a file or another program as it is. On a terminal, what would
  /// steer it is escaped.
  public func write(document text: String) {
    output(isTerminal ? TerminalControlCharacters.escaped(text, keepingLines: true) : text)
  }

  /// Writes text to standard output as it is.
  package func write(verbatim text: String) {
    output(text)
  }

  /// Writes one line to standard error; what would steer a terminal, or break the line, is escaped.
  public func error(_ line: String) {
    errors(TerminalControlCharacters.escaped(line) + "\n")
  }

  /// Writes one line to standard error that is not a warning; nothing with `--quiet`.
  public func note(_ line: String) {
    if !isQuiet { error(line) }
  }

  /// Returns this console for a command with these options.
  package func asking(isQuiet: Bool, _ shape: OutputShape, errorsAreJSON: Bool) -> Console {
    var console = self
    console.errorsAreJSON = errorsAreJSON
    console.shape = shape
    console.isQuiet = isQuiet
    if isQuiet { console.progress = .none }
    return console
  }

  /// Writes what went wrong to standard error as one line, `WHO: WHAT`, and sets off who says so.
  package func failure(_ line: String) {
    write(failure: TerminalControlCharacters.escaped(line))
  }

  /// The same with lines that follow, which a person did not name: the usage of a command.
  package func failure(_ line: String, usage lines: String) {
    write(
      failure: TerminalControlCharacters.escaped(line) + "\n"
        + TerminalControlCharacters.escaped(lines, keepingLines: true))
  }

  /// Writes objects about what went wrong to standard error, each on a line.
  func failure(_ objects: [JSONObject]) throws {
    for object in objects { errors(TerminalControlCharacters.escaped(json: try object.line)) }
  }

  private func write(failure text: String) {
    guard coloursErrors, let colon = text.firstIndex(of: ":") else {
      errors(text + "\n")
      return
    }
    errors(Style.failure.applied(to: text[...colon]) + text[text.index(after: colon)...] + "\n")
  }

  /// Warns, once, that the log lost acknowledged events: what a command says of it is of what is left.
  package func warn(ofLost error: EventLogError) {
    guard lost.first() else { return }
    failure(
      "\(ProgramName.current): warning: \(error); answers of the log come from the events that are left, and `\(ProgramName.current) query --at live` shows the rows of the database"
    )
  }

  /// Says that the log is damaged, and that the rows of the database are shown all the same. The command ends with status 3.
  func warn(ofDamage error: EventLogError) {
    guard lost.first() else { return }
    failure(
      "\(ProgramName.current): warning: \(error); the rows of the database are shown as they are")
  }

  /// Warns, once, that the server of the log is away.
  ///
  /// - Parameter words: up to which event questions are answered, and why no further.
  func warn(ofSilence words: String) {
    guard silent.first() else { return }
    failure("\(ProgramName.current): warning: \(words)")
  }

  /// Whether `warn(ofLost:)` or `warn(ofDamage:)` was called.
  var hasWarnedOfLoss: Bool { lost.isTold }

  /// The status of a command that did its work on what there was of the log, or found that too little.
  package func status(_ status: ExitStatus) -> ExitStatus {
    lost.isTold && [.done, .findings, .error].contains(status) ? .damaged : status
  }

  /// Whether something was told.
  private final class ReportedOnce: Sendable {
    private let value = Mutex(false)

    var isTold: Bool { value.withLock { $0 } }

    /// True the first time.
    func first() -> Bool {
      value.withLock { told in
        defer { told = true }
        return !told
      }
    }
  }

  /// Writes text to standard error as it is.
  package func error(verbatim text: String) {
    errors(text)
  }

  /// Why standard output could not be written; nil if all of it was.
  static var outputFailure: String? {
    let number = failure.withLock { $0 }
    return number == 0 ? nil : String(cString: strerror(number))
  }

  private static let failure = Mutex<Int32>(0)

  private static func write(_ text: String, to descriptor: Int32) {
    guard let number = TextOutput.write(text, to: descriptor), descriptor == STDOUT_FILENO else {
      return
    }
    failure.withLock { $0 = number }
  }
}

extension Console {
  /// Writes a value as JSON with keys in the order of the alphabet.
  public func write(json value: some Encodable) throws {
    try write(value, isWhole: false)
  }

  /// Writes an object as JSON whose lists are parts of it, so that they are not written as lines or as a table without it.
  package func write(whole object: JSONObject) throws {
    try write(object, isWhole: true)
  }

  private func write(_ value: some Encodable, isWhole: Bool) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    if shape != .indented { encoder.outputFormatting.remove(.prettyPrinted) }
    let json = try encoder.encode(value)
    guard shape != .indented else { return write(jsonText: String(decoding: json, as: UTF8.self)) }
    let rows = try JSONRows(json, isWhole: isWhole)
    if shape == .lines { write(verbatimJSON: rows.lines) } else { write(document: try rows.csv) }
    if !rows.besides.isEmpty {
      note("\(rows.besides.joined(separator: ", ")): in --format json alone")
    }
  }

  /// Writes an object that is JSON text already: as it is, or in one line.
  ///
  /// - Throws: `ValidationError` for CSV, which cannot have it.
  package func write(wholeText text: String) throws {
    switch shape {
    case .indented: write(verbatim: text)
    case .lines: write(verbatimJSON: "\(try JSONValue.parse(Array(text.utf8)))\n")
    case .csv: throw JSONRows.refusal
    }
  }

  /// Writes JSON that is text already; what would steer a terminal is escaped as JSON escapes.
  package func write(jsonText text: String) {
    write(verbatimJSON: text + "\n")
  }

  /// Writes a part of JSON; what would steer a terminal is escaped as JSON escapes.
  func write(verbatimJSON text: String) {
    write(verbatim: TerminalControlCharacters.escaped(json: text))
  }
}
