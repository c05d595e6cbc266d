package io.faultline.client.consume;

/**
 * A member in one generation of its group: what it was assigned there holds in no other.
 *
 * @param id the generation; -1 for a consumer that is no member
 * @param memberId the member; empty for a consumer that is no member
 */
public record Generation(int id, String memberId) {

    /** Of a consumer that is no member of a group. */
    public static final Generation NONE = new Generation(-1, "");
}
