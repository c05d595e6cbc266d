package io.faultline.client.network;

import io.faultline.client.loop.Poller;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sleeps in a selector. What is ready is told to the {@link Ready} that is attached to its key. */
final class SelectorPoller implements Poller {

    /** Handles one key; what it throws is its own fault and closes its own channel only. */
    @FunctionalInterface
    interface Ready {
        void ready(SelectionKey key);
    }

    private final Selector selector;

    SelectorPoller() throws IOException {
        selector = Selector.open();
    }

    SelectionKey register(SelectableChannel channel, int interest, Ready ready) throws IOException {
        return channel.register(selector, interest, ready);
    }

    @Override
    public int poll(long nanos) throws IOException {
        if (nanos <= 0) {
            selector.selectNow();
        } else {
            // Rounded up: woken before its time the loop would find nothing due and turn for nothing.
            selector.select(TimeUnit.NANOSECONDS.toMillis(nanos - 1) + 1);
        }
        // Outside of the selector's own locks, so that it can be closed while a handler is stuck.
        int handled = 0;
        for (Iterator<SelectionKey> ready = selector.selectedKeys().iterator(); ready.hasNext(); handled++) {
            SelectionKey key = ready.next();
            ready.remove();
            ((Ready) key.attachment()).ready(key);
        }
        return handled;
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    @Override
    public void close() {
        try {
            List<SelectionKey> keys = new ArrayList<>(selector.keys());
            for (SelectionKey key : keys) {
                Quietly.close(key.channel());
            }
        } catch (ClosedSelectorException | CancelledKeyException ignored) {
            // By the other thread that may close it.
        }
        Quietly.close(selector);
    }
}
