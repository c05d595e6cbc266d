package io.faultline.agent.http;

/** Makes an answer, anew for each request. Called on the server's one thread: it must return soon. */
@FunctionalInterface
public interface Page {

    /**
     * Answers a GET.
     *
     * @param request what is asked for
     * @return the answer, never null
     */
    Response answer(Request request);
}
