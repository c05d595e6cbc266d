/** Processes, folders and the agent in a process: what every experiment needs of the machine. */
package io.faultline.bench.host;
