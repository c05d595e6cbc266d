package io.faultline.broker.group;

/** What a group is doing. */
enum GroupState {
    /** It has no members; it may have committed offsets. */
    EMPTY("Empty"),
    /** It waits for its members to join. */
    PREPARING_REBALANCE("PreparingRebalance"),
    /** It waits for its leader to assign. */
    COMPLETING_REBALANCE("CompletingRebalance"),
    /** Its members have their assignments. */
    STABLE("Stable"),
    /** It was removed, and another group of its name may have come since. */
    DEAD("Dead");

    private final String text;

    GroupState(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
