package io.faultline.broker.fuzz;

/** The broker did what it must not do. */
final class Finding extends AssertionError {

    private static final long serialVersionUID = 1L;

    Finding(String what) {
        super(what);
    }

    Finding(String what, Throwable cause) {
        super(what, cause);
    }
}
