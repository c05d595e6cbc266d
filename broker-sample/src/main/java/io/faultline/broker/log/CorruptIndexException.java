package io.faultline.broker.log;

/** That the indexes of a segment are torn, foreign, or disagree with its file: they are to be built anew. */
final class CorruptIndexException extends Exception {

    private static final long serialVersionUID = 1;

    /**
     * Says what is wrong.
     *
     * @param message what is wrong
     */
    CorruptIndexException(String message) {
        super(message);
    }
}
