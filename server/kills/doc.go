// Package kills has no code but its tests. They end the service by kills, faults and lost
// disks, at random or at named points, while clients share and open, and check that each
// secret opened at most once and that nothing acknowledged is lost. What examines, shrinks
// or restores the data afterwards is tried here too.
package kills
