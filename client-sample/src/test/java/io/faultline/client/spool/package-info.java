/** The spool as it is on the disk. */
package io.faultline.client.spool;
