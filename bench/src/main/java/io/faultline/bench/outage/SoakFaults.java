package io.faultline.bench.outage;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Faults at random, on some brokers or on all, beside and after each other, while members come to the group and go. The same seed makes the same choices. */
final class SoakFaults implements Fault {

    private static final int MOST_COMPANIONS = 2;
    private static final double ALL_BROKERS = 0.2;
    private static final double GROUP_CHANGES = 0.3;
    private static final double LEAVES_BY_BEING_KILLED = 0.5;
    private static final int LEAST_PAUSE_MILLIS = 500;
    private static final int MOST_PAUSE_MILLIS = 5_000;
    private static final int LEAST_FAULT_MILLIS = 500;

    /** What is done to a broker, and until when. */
    private record Active(SoakFault fault, long untilNanos) {}

    private final Cast cast;
    private final Map<Integer, Active> active = new HashMap<>();
    private final Map<SoakFault, Integer> done = new EnumMap<>(SoakFault.class);
    private volatile boolean ending;
    private CompletableFuture<Void> composing;

    SoakFaults(Cast cast) {
        this.cast = cast;
    }

    @Override
    public void begin() {
        composing = CompletableFuture.runAsync(() -> {
            try {
                while (!ending) {
                    step();
                    TimeUnit.MILLISECONDS.sleep(between(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS));
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            } catch (Exception failed) {
                throw new IllegalStateException("a fault could not be made or undone", failed);
            }
        });
    }

    private void step() throws Exception {
        endThose(System.nanoTime());
        Random random = cast.random();
        if (random.nextDouble() < GROUP_CHANGES) {
            changeGroup();
        } else {
            SoakFault fault = SoakFault.values()[random.nextInt(SoakFault.values().length)];
            long until =
                    System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(between(LEAST_FAULT_MILLIS, mostFaultMillis()));
            int one = 1 + random.nextInt(cast.stage().brokers().count());
            boolean all = random.nextDouble() < ALL_BROKERS;
            for (int broker : brokers()) {
                if ((all || broker == one) && !active.containsKey(broker)) {
                    fault.begin(cast.stage(), broker);
                    active.put(broker, new Active(fault, until));
                    done.merge(fault, 1, Integer::sum);
                }
            }
        }
    }

    /** Now and then longer than any time-out of the client. */
    private int mostFaultMillis() {
        return (int) cast.timeouts().delivery().multipliedBy(3).dividedBy(2).toMillis();
    }

    private void changeGroup() throws Exception {
        Companions companions = cast.companions();
        if (companions.count() < MOST_COMPANIONS
                && (companions.count() == 0 || cast.random().nextBoolean())) {
            companions.join();
        } else if (cast.random().nextDouble() < LEAVES_BY_BEING_KILLED) {
            companions.kill();
        } else {
            companions.leave();
        }
    }

    private void endThose(long now) throws Exception {
        for (int broker : brokers()) {
            Active of = active.get(broker);
            if (of != null && of.untilNanos() <= now) {
                of.fault().end(cast.stage(), broker);
                active.remove(broker);
            }
        }
    }

    private List<Integer> brokers() {
        return IntStream.rangeClosed(1, cast.stage().brokers().count()).boxed().toList();
    }

    private int between(int least, int most) {
        return least + cast.random().nextInt(most - least);
    }

    @Override
    public void heal() throws Exception {
        ending = true;
        composing.join();
        endThose(Long.MAX_VALUE);
        cast.stage().brokers().awaitAll();
    }

    @Override
    public String summary() {
        return "; done to brokers: " + done;
    }
}
