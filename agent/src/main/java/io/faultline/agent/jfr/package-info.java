/**
 * What the agent does as events of the JDK's flight recorder. Nothing here is loaded before the host has started the recorder by itself, and the agent never starts it.
 */
package io.faultline.agent.jfr;
