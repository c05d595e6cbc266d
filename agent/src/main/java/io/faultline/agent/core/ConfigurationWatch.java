package io.faultline.agent.core;

/** Takes over what changed in the configuration's file, and tells everybody who must know. */
final class ConfigurationWatch {

    private final Configuration configuration;
    private final ModeSwitch modes;
    private final Audit audit;
    private final OwnErrors errors;
    private final AgentLog log;

    ConfigurationWatch(Configuration configuration, ModeSwitch modes, Audit audit, OwnErrors errors, AgentLog log) {
        this.configuration = configuration;
        this.modes = modes;
        this.audit = audit;
        this.errors = errors;
        this.log = log;
    }

    /** Looks at the file, which may lie on a disk that hangs: to be called on a thread that nobody waits for. */
    void look() {
        Configuration.Look look = configuration.look();
        for (String error : look.errors()) {
            errors.count(Part.CONFIG);
            log.warn(error);
            audit.refusal("configuration", Source.FILE, error);
        }
        look.changes().forEach(this::changed);
    }

    private void changed(Change change) {
        if (change.key() == Key.MODE) {
            modes.enter(configuration.options().mode(), change.source());
            return;
        }
        audit.change(change);
        Key key = change.key();
        log.line(key.spelled() + " " + key.shown(change.from()) + " -> " + key.shown(change.to()) + ", by "
                + change.source().spelled()
                + (change.inForce() ? "" : ". It takes effect when the agent is started anew"));
    }
}
