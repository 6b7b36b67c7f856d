/// The ordinals of rows with equal indexed columns, newest first: lists that are threaded through one array.
///
/// It is built when it is first asked for. Lists may name ordinals that are dead.
struct RowIndex: ~Copyable {
  static let end = UInt32.max

  let columns: FixedArray<Int>
  var isBuilt = false
  /// The first ordinal of each list, by the hash of its columns.
  var heads = OrdinalHash()
  /// The ordinal behind each ordinal in its list.
  var next: [UInt32] = []

  init(columns: [Int]) {
    self.columns = FixedArray(columns)
  }

  /// Forgets all rows; it is built again when it is asked for.
  mutating func clear() {
    isBuilt = false
    heads = OrdinalHash()
    next = []
  }
}
