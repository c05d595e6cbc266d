package io.faultline.client.network;

import io.faultline.client.network.CallFailure.Reason;
import io.faultline.client.watchdog.Deadline;
import io.faultline.client.watchdog.Timer;
import java.time.Duration;
import org.apache.kafka.common.protocol.ApiMessage;

/** A call that has not ended: it waits for a connection, or for its response. */
final class PendingCall {

    private final Call call;
    private Timer timer;
    private Connection connection;
    private int correlationId;
    private short version;
    private boolean ended;

    PendingCall(Call call) {
        this.call = call;
    }

    Call call() {
        return call;
    }

    void arm(Timer deadline) {
        timer = deadline;
    }

    /** Gives it more time: the broker wants to be left alone for so long. */
    void extend(Duration by) {
        Deadline later = timer.deadline().plus(by);
        timer.rearm(later);
    }

    void sentOn(Connection sender, int id, short agreedVersion) {
        connection = sender;
        correlationId = id;
        version = agreedVersion;
    }

    /** Null while it waits for a connection. */
    Connection connection() {
        return connection;
    }

    int correlationId() {
        return correlationId;
    }

    short version() {
        return version;
    }

    boolean hasEnded() {
        return ended;
    }

    @SuppressWarnings("unchecked") // the codec made the response for the API of this very call
    void succeed(ApiMessage response) {
        if (end()) {
            ((Call.Handler<ApiMessage>) call.handler()).onResponse(response, version);
        }
    }

    void fail(Reason reason, String message, Exception cause) {
        if (end()) {
            call.handler().onFailure(new CallFailure(reason, connection != null, message, cause));
        }
    }

    private boolean end() {
        if (ended) {
            return false;
        }
        ended = true;
        if (timer != null) { // never armed where there is no such peer
            timer.disarm();
        }
        return true;
    }

    @Override
    public String toString() {
        return connection == null ? call.api().name : call.api().name + " " + correlationId;
    }
}
