package io.faultline.bench.outage;

/**
 * Something that has to hold in every outage, and whether it did.
 *
 * @param number by which it is known
 * @param text what has to hold
 * @param held whether it did
 * @param detail what was seen
 */
record Invariant(int number, String text, boolean held, String detail) {

    static Invariant of(int number, String text, boolean held, String format, Object... arguments) {
        return new Invariant(number, text, held, String.format(format, arguments));
    }

    @Override
    public String toString() {
        return number + ". " + text + ": " + detail;
    }
}
