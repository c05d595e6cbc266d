/**
 * Fuzzing of every announced API and version: valid messages built from the protocol's own schemas, mutated in structure and
 * in bytes, over a socket and straight to the dispatcher, guided by the coverage of the broker's classes.
 */
package io.faultline.broker.fuzz;
