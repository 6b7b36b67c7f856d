import EngineCommands
import Foundation
import Promises
import Testing

@Suite(
  .promise("JSON has the keys of CLI.md, all of them and no other"))
struct JSONObjectTests {
  @Test func aMemberThatIsNilIsLeftOut() throws {
    let nothing: String? = nil
    let something: Int? = 3
    let object: JSONObject = [
      "nothing": nothing, "something": something, "list": [1, 2],
      "inner": ["a": true] as JSONObject,
    ]
    let data = try JSONEncoder().encode(object + ["more": "text"])
    let read = try JSONSerialization.jsonObject(with: data) as? NSDictionary
    #expect(
      read == ["something": 3, "list": [1, 2], "inner": ["a": true], "more": "text"] as NSDictionary
    )
  }
}
