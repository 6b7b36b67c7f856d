import CatalogTestSupport
import Promises
import Testing

@Suite(
  .promise("Each case of a dear test is drawn by a third of all commits"))
struct SampleTests {
  /// Else a case would never run, or each case in every run.
  @Test func eachCaseIsDrawnByAThirdOfAllCommits() {
    var drawn = Array(repeating: 0, count: 7)
    for commit in 0..<3_000 {
      let third = Sample.third(of: Array(0..<7), "\(commit)", "a label")
      #expect(third.count == 2 || third.count == 3)
      #expect(third == Sample.third(of: Array(0..<7), "\(commit)", "a label"))
      for place in third { drawn[place] += 1 }
    }
    #expect(drawn.allSatisfy { (900...1_100).contains($0) }, "\(drawn)")
  }

  /// Dear tests take turns.
  @Test func anotherLabelDrawsOthers() {
    let thirds = Set((0..<20).map { Sample.third(of: [0, 1, 2], "c0ffee", "label \($0)") })
    #expect(thirds == [[0], [1], [2]])
  }
}
