package io.faultline.agent.core;

/**
 * An option that changed while the agent ran.
 *
 * @param key which
 * @param from the value before
 * @param to the value now
 * @param source where the value is from now
 * @param inForce false if it takes effect with a restart only
 */
record Change(Key key, String from, String to, Source source, boolean inForce) {}
