import ArgumentParser
public import CatalogEngine
import CatalogModel
import CatalogStore
public import EngineCommands
import EventLog
import Foundation
import Support
import Synchronization

/// Answers the requests of a browser that looks at a catalog's past: pages that need nothing but themselves, a style and a
/// script. It reads the catalog and changes nothing but its history.
///
/// A server hands over the path and the query of each request, and sends what this returns:
///
/// ```swift
/// let inspector = CatalogInspector(program, CatalogDirectory("sounds"))
/// let answer = await inspector.answer(path: "/answer", query: "sql=SELECT%201")
/// ```
public final class CatalogInspector: Sendable {
  /// An answer of HTTP.
  public struct Answer: Sendable {
    /// 200, 400 for a wrong question, 404 for an unknown page, 500 for an error of the catalog.
    public let status: Int
    /// The media type.
    public let type: String
    public let body: String

    init(_ status: Int, _ type: String, _ body: String) {
      (self.status, self.type, self.body) = (status, type, body)
    }
  }

  /// The policy that each answer has to be sent with: nothing is loaded from another host, and no script but that of the
  /// inspector runs.
  public static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    + "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

  private let program: CatalogProgram
  private let directory: CatalogDirectory
  private let other: CatalogDirectory?
  private let patience: Duration
  private let proof: LiveProof
  private let timeline = Mutex(KnownTimeline())
  /// The work for a page that takes long; nil if there is none.
  private let work = Mutex<CatalogProgress?>(nil)

  /// The batches of the log that were read so far.
  private struct KnownTimeline {
    var logID: LogID?
    var head: LogHead?
    var batches: [TimedBatch] = []
    /// Those of the last question. A history that was made for them, as the catalog's own cannot be, is there for the next ones.
    var states: PastStates?
  }

  /// - Parameters:
  ///   - program: the program whose kinds are known; commands are shown with its name.
  ///   - other: a catalog that the first one is compared with; nil if there is none.
  ///   - patience: how long a statement may run.
  public init(
    _ program: CatalogProgram, _ directory: CatalogDirectory, beside other: CatalogDirectory? = nil,
    patience: Duration = .seconds(20)
  ) {
    (self.program, self.directory, self.patience) = (program, directory, patience)
    self.other = other
    proof = LiveProof(directory)
  }

  /// Answers a request that reads. Cancelling the task stops its statement.
  ///
  /// - Parameters:
  ///   - path: the part of the address before `?`.
  ///   - query: the part after it, as it was sent; nil if there is none.
  public func answer(path: String, query: String?) async -> Answer {
    switch path {
    case "/style.css":
      return Answer(200, "text/css; charset=utf-8", PageStyle.css.text)
    case "/icon.svg", "/favicon.ico": return Answer(200, "image/svg+xml", PageStyle.icon)
    case "/script.js": return Answer(200, "text/javascript; charset=utf-8", PageScript.inspector)
    default: break
    }
    let stop = WorkStop()
    do {
      return try await withTaskCancellationHandler {
        try await Blocking.run(isLong: true) {
          CatalogProgram.$current.withValue(self.program) {
            RecoveryWords.$current.withValue(self.program.words) {
              self.made(path, query ?? "", stop)
            }
          }
        }
      } onCancel: {
        stop.stop()
      }
    } catch {
      return Answer(500, Self.html, InspectorPage.broken("\(error)", directory))
    }
  }

  private func made(_ path: String, _ query: String, _ stop: WorkStop) -> Answer {
    do {
      let asked = try asked(InspectorQuery(query))
      if path == "/live" {
        return Answer(200, "application/json", try live(asked))
      }
      // Of pages that are made at once, the last one tells.
      defer { work.withLock { $0 = nil } }
      guard let view = InspectorView(path: path) else {
        let page = asked.page(nil, "<p class=\"state bad\">There is no page \(path).</p>")
        return Answer(404, Self.html, page)
      }
      do {
        return try view.answer(asked.ready(within: patience, stop: stop))
      } catch {
        let (status, words) = Self.words(of: error)
        let page = asked.page(view, "<p class=\"state bad\" role=\"alert\">\(words)</p>")
        return Answer(status, Self.html, page)
      }
    } catch {
      let (status, words) = Self.words(of: error)
      return Answer(status, Self.html, InspectorPage.broken(words, directory))
    }
  }

  /// The answer to a page that waits.
  private func live(_ question: InspectorQuestion) throws -> String {
    let work = work.withLock { $0 }.map { work in
      let part = work.total.map { ", \(Count.grouped(work.done)) of \(Count.grouped($0))" } ?? " …"
      return work.phase.rawValue + part
    }
    let object: JSONObject = [
      // The last event of the log.
      "head": question.head.sequence,
      // The work for another page, in words.
      "work": work,
      // The number of a process that rebuilds the database.
      "rebuild": question.directory?.rebuildingProcess,
    ]
    return String(decoding: try JSONEncoder().encode(object), as: UTF8.self) + "\n"
  }

  static let html = "text/html; charset=utf-8"

  /// The status and the words of an error: wrong questions are the browser's, all else is the catalog's.
  private static func words(of error: any Error) -> (Int, String) {
    let error = StoreError(ofSQLite: error) ?? error
    return switch error {
    case let error as InspectorQuery.Problem: (400, error.description)
    case let error as ValidationError: (400, error.message)
    case let error as CatalogError
    where [.sqlRefused, .noMoment, .notFound, .changeRefused].contains(error.code):
      (400, "\(error)")
    default: (500, "\(error)")
    }
  }

  /// The catalog as it is now, with the moments of a question.
  private func asked(_ query: InspectorQuery) throws -> InspectorQuestion {
    let log = try directory.pastLog(directory.logThatShouldBe, of: .current)
    let observer: ProgressObserver = { [weak self] progress in
      self?.work.withLock { $0 = progress }
    }
    let states = PastStates(
      log, history: CatalogHistory(directory, log, progress: observer), progress: observer)
    let id = try log.reader.requireEvents().logID
    let known = try timeline.withLock { known -> KnownTimeline in
      let last = known.head
      if known.logID != id { known = KnownTimeline(logID: id) }
      let (batches, head): ([TimedBatch], LogHead?)
      do {
        (batches, head) = try states.batches(after: known.head)
      } catch let error as EventLogError where error.code == .lostEvents && known.head != nil {
        // The log was replaced by a copy: what was read of the other one counts no more.
        known = KnownTimeline(logID: id)
        (batches, head) = try states.batches()
      }
      known.batches += batches
      known.head = head
      if head != last || known.states?.log.kind.fingerprint != log.kind.fingerprint {
        known.states = states
      }
      return known
    }
    guard let head = known.head else { throw CatalogError(.noCatalog, "the log is empty") }
    return try InspectorQuestion(
      query, known.states ?? states, directory: directory, live: proof.finding(for: log),
      other: other, head: head,
      batches: known.batches)
  }
}
