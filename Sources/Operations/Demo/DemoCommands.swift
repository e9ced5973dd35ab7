/// Commands to try while the programs stay up; each works when pasted.
struct DemoCommands {
  /// A purchase whose refund request stays open.
  private static let open = "2000000000000990"

  let stage: DemoStage
  let programs: String

  var all: [(command: String, meaning: String)] {
    let purchase = Story.coinPack.purchase
    let settings = "--settings \(stage.settingsFile)"
    return [
      ("\(programs)/refundlog cases \(settings)", "all cases"),
      ("\(programs)/refundlog case \(purchase.transaction) \(settings)", "everything about the first story's"),
      ("\(programs)/refundlog log tail --follow --data \(stage.data)", "what happened, and what happens from now on"),
      (
        "sqlite3 'file:\(stage.data)/events.sqlite?mode=ro' 'select type, kind, count(*) from log_v1 group by 1, 2'",
        "the same log, counted in the sqlite3 shell"
      ),
      (
        #"curl -s -X POST \#(stage.simulator)/simulator/v1/refund-requests -d '{"transaction":{"productId":"\#(purchase.product)","type":"Consumable","appAccountToken":"\#(purchase.account)"}}'"#,
        "the customer of the first story buys again and asks for the money back; the consent holds on"
      ),
      (
        #"curl -s -X POST \#(stage.simulator)/simulator/v1/refund-requests -d '{"transaction":{"productId":"\#(purchase.product)","type":"Consumable","appAccountToken":"\#(purchase.account)"},"scenario":"REFUND_THEN_REVERSED"}'"#,
        "the same, and Apple refunds a second after the answer; in place of REFUND_THEN_REVERSED: REFUND_DECLINED and others"
      ),
      (
        #"curl -s -X POST \#(stage.simulator)/simulator/v1/refund-requests -d '{"transaction":{"transactionId":"\#(Self.open)","type":"Consumable"}}'"#,
        "a customer whom nobody asked for consent asks for the money back; the request waits"
      ),
      ("\(programs)/refundlog hold \(Self.open) \(settings)", "a person looks at it first: it is held"),
      ("\(programs)/refundlog release \(Self.open) \(settings)", "and is released again"),
      (
        "\(programs)/refundlog answer \(Self.open) --prefer DECLINE --note 'seen by me' \(settings)",
        "with a preference; without consent nothing is sent, whoever asks"
      ),
      ("curl -s \(stage.simulator)/simulator/v1/answers", "what the App Store was told since"),
      ("\(programs)/appstore-simulator --help", "what else can be brought about at the App Store"),
      ("tail -n 5 \(stage.folder)/*.log", "what the programs print"),
    ]
  }
}
