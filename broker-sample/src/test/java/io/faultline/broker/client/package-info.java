/** A client as a process: compiled against the newest kafka-clients, and run with them or with those of 2.8. */
package io.faultline.broker.client;
