import CatalogEngine
import Promises
import Synchronization
import Testing

@testable import EngineCommands

@Suite(.promise("A long command says how far it is, and a short one says nothing"))
struct ProgressPrinterTests {
  /// A clock that a test moves, and all that was written to standard error.
  private final class Scene: Sendable {
    let time = Mutex(ContinuousClock.now)
    let written = Mutex("")

    func printer(_ style: Console.ProgressStyle) -> ProgressPrinter {
      let console = Console(
        output: { _ in }, errors: { [self] text in written.withLock { $0 += text } },
        progress: style)
      return ProgressPrinter(console) { [self] in time.withLock { $0 } }
    }

    func pass(_ seconds: Double) { time.withLock { $0 += .seconds(seconds) } }
  }

  @Test func linesSayHowLongTheRestTakes() {
    let scene = Scene()
    let printer = scene.printer(.lines)
    func say(_ phase: CatalogProgress.Phase, _ done: Int, _ total: Int?, after seconds: Double) {
      scene.pass(seconds)
      printer.observer(CatalogProgress(phase: phase, done: done, total: total))
    }
    say(.folding, 0, 10_000, after: 0)
    say(.folding, 100, 10_000, after: 0.9)
    // A fiftieth is not done yet.
    say(.folding, 150, 10_000, after: 0.6)
    say(.folding, 2_500, 10_000, after: 8.5)
    // The next phase is not as quick as the one before.
    say(.writing, 0, 100, after: 6)
    say(.writing, 50, 100, after: 100)
    say(.waiting, 0, nil, after: 6)
    #expect(
      scene.written.withLock { $0 } == """
        progress: replaying events, 150 of 10,000
        progress: replaying events, 2,500 of 10,000, 30 s left
        progress: writing rows, 0 of 100
        progress: writing rows, 50 of 100, 1 min 40 s left
        progress: waiting for another writer …

        """)
  }

  @Test func aBarIsDrawnOverAndGoesAway() {
    let scene = Scene()
    let printer = scene.printer(.bar)
    for step in 0...4 {
      printer.observer(CatalogProgress(phase: .checking, done: step * 25, total: 100))
      scene.pass(2)
    }
    printer.finish()
    let drawn = scene.written.withLock { $0 }.split(separator: "\r\u{1B}[K").map(String.init)
    #expect(drawn.count == 4, "\(drawn)")
    #expect(drawn.first?.hasSuffix(" 25 %  checking the log, 6 s left") == true, "\(drawn)")
    #expect(drawn.last?.hasSuffix(" 100 %  checking the log, 0 s left") == true, "\(drawn)")
    #expect(scene.written.withLock { $0 }.hasSuffix("\r\u{1B}[K"))
  }

  @Test func aShortCommandSaysNothing() {
    let scene = Scene()
    for style in [Console.ProgressStyle.bar, .lines] {
      let printer = scene.printer(style)
      for done in 0...10 {
        printer.observer(CatalogProgress(phase: .folding, done: done, total: 10))
        scene.pass(0.09)
      }
      printer.finish()
    }
    #expect(scene.written.withLock { $0 } == "")
  }
}
