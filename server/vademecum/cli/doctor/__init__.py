"""What `vademecum doctor` looks at: one file for each part of the house and of the machine it stands on."""
