package io.faultline.bench.outage;

import io.faultline.bench.broker.Brokers;

/** What a soak does to one broker for a while; begun on a broker that is well, and undone. */
enum SoakFault {
    FREEZE {
        @Override
        void begin(Stage stage, int broker) throws Exception {
            stage.brokers().freeze(broker);
        }

        @Override
        void end(Stage stage, int broker) throws Exception {
            stage.brokers().thaw(broker);
        }
    },
    KILL {
        @Override
        void begin(Stage stage, int broker) throws Exception {
            stage.brokers().kill(broker);
        }

        @Override
        void end(Stage stage, int broker) throws Exception {
            stage.brokers().start(broker);
        }
    },
    RESTART {
        @Override
        void begin(Stage stage, int broker) {
            stage.brokers().stop(broker);
        }

        @Override
        void end(Stage stage, int broker) throws Exception {
            stage.brokers().start(broker);
        }
    },
    RESET {
        @Override
        void begin(Stage stage, int broker) {
            stage.proxies().get(broker - 1).resetAll();
        }

        @Override
        void end(Stage stage, int broker) {
            stage.proxies().get(broker - 1).resetAll();
        }
    },
    HALF_RESPONSES {
        @Override
        void begin(Stage stage, int broker) {
            stage.proxies().get(broker - 1).mode(FrameProxy.Mode.HALVE);
        }

        @Override
        void end(Stage stage, int broker) {
            FrameProxy proxy = stage.proxies().get(broker - 1);
            proxy.mode(FrameProxy.Mode.PASS);
            proxy.resetAll();
        }
    },
    EATEN_ACKS_THEN_KILL {
        @Override
        void begin(Stage stage, int broker) {
            stage.proxies().get(broker - 1).mode(FrameProxy.Mode.EAT_ACKS);
        }

        @Override
        void end(Stage stage, int broker) throws Exception {
            Brokers brokers = stage.brokers();
            brokers.kill(broker);
            stage.proxies().get(broker - 1).mode(FrameProxy.Mode.PASS);
            brokers.start(broker);
        }
    };

    abstract void begin(Stage stage, int broker) throws Exception;

    abstract void end(Stage stage, int broker) throws Exception;
}
